/** A share (0..1) as CSS and SVG have it: `62.5%`. */
export function cssPercent(share: number): string {
  return `${Number((100 * share).toFixed(2))}%`;
}
