/** Every format that a report is written in, a line each; summary.json and charts are written besides. */
export { averages, deltas } from './formats/csv.ts';
export { html } from './formats/html.ts';
export { markdown } from './formats/markdown.ts';
