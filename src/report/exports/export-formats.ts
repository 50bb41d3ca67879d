/** Formats of `pgsweep report --export`. */
export const exportFormats = ['metrics', 'benchstat', 'openmetrics'] as const;

export type ExportFormat = (typeof exportFormats)[number];
