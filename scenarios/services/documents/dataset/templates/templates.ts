/** The generated data sets, each in the manner of the Ed-Fi template of its name. */
export const templates = ['partial-grand-bend', 'grand-bend', 'southridge'] as const;

export type TemplateName = (typeof templates)[number];
