import { describe, expect, test } from 'vitest';
import { summarize } from '../../../src/judge/summary.ts';
import { changeChart } from '../../../src/report/formats/chart.ts';
import { fixtureJournal } from '../../judge/journal-fixture.ts';
import { contentOf } from '../report-content.ts';

const journal = fixtureJournal({ variants: ['a', 'b'], control: 'a', connections: [1, 25], rounds: 8, noise: 0.01 });

describe('the chart of changes', () => {
  const svg = changeChart(summarize(journal))?.svg ?? '';

  test('has a dot for every comparison of 2xx/s and for A/A, and a panel for every load level', () => {
    expect(svg.match(/<circle/g)).toHaveLength(4);
    expect(svg).toContain('>1 connection<');
    expect(svg).toContain('>25 connections<');
  });

  test('is the same for the same summary', () => {
    expect(changeChart(summarize(journal))?.svg).toBe(svg);
  });

  test('marks a bar that goes on beyond its frame, and no other', () => {
    const far = fixtureJournal({
      variants: ['a', 'b'],
      control: 'a',
      connections: [25],
      effect: ({ variant }) => (variant === 'b' ? 1.5 : 0),
    });
    expect(changeChart(summarize(far))?.svg.match(/class="beyond/g)).toHaveLength(1);
    expect(changeChart(summarize(far))?.svg).toContain('>▸</text>');
    expect(svg).not.toContain('class="beyond');
  });

  test('is left out where there is nothing to compare', () => {
    expect(changeChart(summarize(fixtureJournal({ variants: ['a'], control: 'a', connections: [1] })))).toBeNull();
  });
});

test('every chart stands for itself: colours, title and legend are in it', () => {
  const { charts } = contentOf(journal);
  expect(charts.map(({ name }) => name)).toEqual([
    'requests_per_s',
    'loads-1',
    'loads-2',
    'loads-3',
    'loads-4',
    'latency-1',
    'latency-2',
    'time-1-1',
    'time-2-1',
    'time-2-2',
  ]);
  for (const { svg, title } of charts) {
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" class="chart" width="\d+" height="\d+"/);
    expect(svg).toContain(`>${title}`);
    expect(svg).not.toContain('var(--');
  }
  expect(charts[1]?.svg).toMatch(/class="l1"[\s\S]*>b<\/text>/);
});
