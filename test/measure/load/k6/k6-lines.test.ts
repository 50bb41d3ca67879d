import { describe, expect, it } from 'vitest';
import { crossedThresholds, isK6Error, readK6Line, readK6Message } from '../../../../src/measure/load/k6/k6-lines.ts';

const at = '2026-11-22T15:00:01.250123456Z';
const atMs = Date.parse('2026-11-22T15:00:01.250Z');

function point(metric: string, value: number, tags: Record<string, string> = {}): string {
  return JSON.stringify({ metric, type: 'Point', data: { time: at, value, tags: { scenario: 'pgsweep', ...tags } } });
}

describe('a line of k6', () => {
  it('of a request tells its time, name, status and whether it was expected', () => {
    const tags = { name: 'list', method: 'GET', status: '200', expected_response: 'true' };
    expect(readK6Line(point('http_req_duration', 1.234567, tags))).toEqual({
      kind: 'request',
      atMs,
      latencyMs: 1.234567,
      name: 'list',
      method: 'GET',
      status: 200,
      isExpected: true,
      timedOut: false,
      inLoad: true,
    });
  });

  it('of a request that failed says so by what the script expects, and tells a timeout from other errors', () => {
    const failed = { name: 'list', method: 'GET', status: '404', expected_response: 'false', error_code: '1404' };
    expect(readK6Line(point('http_req_duration', 1, failed))).toMatchObject({ status: 404, isExpected: false });
    const found = { ...failed, status: '404', expected_response: 'true' };
    expect(readK6Line(point('http_req_duration', 1, found))).toMatchObject({ status: 404, isExpected: true });
    const silent = { name: 'list', status: '0', error_code: '1050', expected_response: 'false' };
    expect(readK6Line(point('http_req_duration', 60_000, silent))).toMatchObject({ status: 0, timedOut: true });
    const refused = { ...silent, error_code: '1212' };
    expect(readK6Line(point('http_req_duration', 0, refused))).toMatchObject({ timedOut: false, isExpected: false });
  });

  it('of a user has its iteration, unless setup() sent it', () => {
    const of = (tags: Record<string, string>): string =>
      point('checks', 1, tags).replace('"tags"', '"metadata":{"vu":"2","iter":"0"},"tags"');
    expect(readK6Line(of({}))).toMatchObject({ kind: 'check', iteration: { vu: '2', iter: '0' } });
    expect(readK6Line(of({ scenario: '' }))).not.toHaveProperty('iteration');
    expect(readK6Line(point('checks', 1))).not.toHaveProperty('iteration');
  });

  it('of setup() is no load', () => {
    expect(readK6Line(point('http_req_duration', 1, { scenario: '', group: '::setup' }))).toMatchObject({
      inLoad: false,
    });
  });

  it('of a connection, an iteration, a check, a dropped iteration, received bytes', () => {
    expect(readK6Line(point('http_req_connecting', 0.2))).toEqual({ kind: 'opened' });
    expect(readK6Line(point('http_req_connecting', 0))).toBeNull();
    expect(readK6Line(point('iterations', 1))).toEqual({ kind: 'iterations', count: 1, atMs });
    expect(readK6Line(point('checks', 0, { check: 'ten items' }))).toEqual({
      kind: 'check',
      name: 'ten items',
      passed: false,
      atMs,
    });
    expect(readK6Line(point('dropped_iterations', 1))).toEqual({ kind: 'dropped', count: 1, atMs });
    expect(readK6Line(point('data_received', 512))).toEqual({ kind: 'received', bytes: 512, atMs });
    expect(readK6Line(point('pgsweep_started', 1_795_000_000_123))).toEqual({
      kind: 'started',
      atMs: 1_795_000_000_123,
    });
  });

  it("of a metric of the script's own tells what it is, and its values", () => {
    const described = { type: 'Metric', data: { name: 'queue', type: 'trend', contains: 'time' }, metric: 'queue' };
    expect(readK6Line(JSON.stringify(described))).toEqual({
      kind: 'metric',
      name: 'queue',
      type: 'trend',
      isTime: true,
    });
    expect(readK6Line(point('queue', 7))).toEqual({ kind: 'value', name: 'queue', value: 7, atMs });
  });

  it('of a call of gRPC and of a WebSocket is a request too', () => {
    expect(readK6Line(point('grpc_req_duration', 3, { name: 'items.Items/List', status: '0' }))).toMatchObject({
      name: 'items.Items/List',
      status: 200,
      isExpected: true,
    });
    expect(readK6Line(point('grpc_req_duration', 3, { status: '14' }))).toMatchObject({
      status: 500,
      isExpected: false,
    });
    expect(readK6Line(point('ws_connecting', 3, { status: '101' }))).toMatchObject({ status: 101, isExpected: true });
  });

  it('that tells nothing more, or is cut off, is passed over', () => {
    expect(readK6Line(point('http_req_waiting', 1))).toBeNull();
    expect(readK6Line(point('http_req_duration', 1).slice(0, 60))).toBeNull();
    expect(readK6Line('time="2026-11-22" level=info')).toBeNull();
    expect(readK6Line('')).toBeNull();
  });
});

describe('a message of k6', () => {
  it('has its level and text, and an error beside it', () => {
    expect(readK6Message('{"error":"unexpected EOF","level":"warning","msg":"Request Failed","time":"x"}')).toEqual({
      level: 'warning',
      text: 'Request Failed: unexpected EOF',
    });
    expect(readK6Message('panic: no')).toEqual({ level: 'info', text: 'panic: no' });
  });

  it("is an error by its level, unless it is one of the script's console", () => {
    const isError = (line: string) => isK6Error(readK6Message(line));
    expect(isError('{"level":"error","msg":"TypeError: no","source":"stacktrace"}')).toBe(true);
    expect(isError('{"level":"error","msg":"no"}')).toBe(true);
    expect(isError('{"level":"error","msg":"no","source":"console"}')).toBe(false);
    expect(isError('{"level":"warning","msg":"no"}')).toBe(false);
  });

  it('names the thresholds that were crossed', () => {
    const text = "thresholds on metrics 'http_req_duration{name:list,status:200}, checks' have been crossed";
    expect(crossedThresholds({ level: 'error', text })).toEqual(['http_req_duration{name:list,status:200}', 'checks']);
    expect(crossedThresholds({ level: 'error', text: 'no' })).toEqual([]);
  });
});
