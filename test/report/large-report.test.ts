import { expect, it } from 'vitest';
import { renderHtml } from '../../src/report/formats/html.ts';
import { largeRun } from './large-run.ts';
import { contentOf } from './report-content.ts';

it('a page of 50 variants, 5 load levels and 20 rounds is less than 5 MB, and names what it leaves out', () => {
  const content = contentOf(largeRun(false));
  const page = renderHtml(content);
  expect(Buffer.byteLength(page)).toBeLessThan(5_000_000);
  // Every change of 2xx/s is there, and the lines of the control and five others.
  expect(page.match(/<rect class="bar /g)?.length).toBeGreaterThanOrEqual(49 * 5);
  expect(page).toContain('Lines are drawn for the control and 5 of 49 variants');
  const files = content.charts.map(({ svg }) => svg.length);
  expect(Math.max(...files)).toBeLessThan(500_000);
});
