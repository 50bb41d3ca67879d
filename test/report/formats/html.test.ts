import { beforeAll, describe, expect, test } from 'vitest';
import { summarize } from '../../../src/analysis/summary.ts';
import { documentOf } from '../../../src/report/document.ts';
import { type Chart, drawCharts } from '../../../src/report/formats/chart.ts';
import { renderHtml } from '../../../src/report/formats/html.ts';
import { fixtureJournal } from '../../analysis/journal-fixture.ts';

const summary = summarize(
  fixtureJournal({ variants: ['a', '<b onclick="x">'], control: 'a', connections: [1, 25], rounds: 8, noise: 0.01 }),
);
let charts: Chart[];
let html: string;
beforeAll(async () => {
  charts = await drawCharts(summary);
  html = renderHtml(documentOf(summary), charts);
});

describe('the HTML report', () => {
  test('needs nothing but itself', () => {
    expect(html).not.toMatch(/<(script|link|img|iframe)\b|\bsrc=|@import|url\(/);
  });

  test('shows names as they are, and runs none of them', () => {
    expect(html).not.toContain('<b onclick');
    expect(html).toContain('&lt;b onclick=&quot;x&quot;&gt;');
  });

  test('has every table of the report, each row as wide as its head', () => {
    const tables = [...html.matchAll(/<table><caption>[\s\S]*?<\/table>/g)].map(([table]) => table);
    const { sections, details } = documentOf(summary);
    expect(tables).toHaveLength(
      [...sections.flatMap(({ tables, folded }) => [...tables, ...folded]), ...details.flatMap(({ tables }) => tables)]
        .length,
    );
    for (const table of tables) {
      const width = table.match(/<th /g)?.length;
      for (const [row] of table.matchAll(/<tr><td[\s\S]*?<\/tr>/g)) expect(row.match(/<td/g)).toHaveLength(width ?? 0);
    }
  });
});

describe('the chart', () => {
  test('has a point for every comparison of 2xx/s, and a panel for every load level', () => {
    const [chart] = charts;
    expect(chart?.svg.match(/aria-roledescription="point"/g)).toHaveLength(2);
    expect(chart?.svg).toContain('1 connection');
    expect(chart?.svg).toContain('25 connections');
  });

  test('is the same for the same summary', async () => {
    expect(await drawCharts(summary)).toEqual(charts);
  });

  test('is left out where there is nothing to compare', async () => {
    expect(await drawCharts(summarize(fixtureJournal({ variants: ['a'], control: 'a', connections: [1] })))).toEqual(
      [],
    );
  });
});
