import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { calendar, inconsistencies, school, uuidPattern, withServices } from './harness.ts';

const { start } = withServices();

describe('get', () => {
  it('answers one document, or 404 and 400', async () => {
    const { request } = await start();
    const { body } = await request('POST', '/ed-fi/schools', school(1));
    const path = `/ed-fi/schools/${body.id}`;
    expect((await request('GET', path)).body).toEqual({ id: body.id, ...school(1) });
    expect((await request('GET', path.toUpperCase().replace('/ED-FI/SCHOOLS', '/ed-fi/schools'))).status).toBe(200);
    const other = await request('GET', `/ed-fi/calendars/${body.id}`);
    expect(other).toMatchObject({ status: 404, body: { error: { code: 'document_not_found' } } });
    expect((await request('GET', `/ed-fi/schools/${randomUUID()}`)).status).toBe(404);
    const bad = await request('GET', '/ed-fi/schools/1');
    expect(bad).toMatchObject({ status: 400, body: { error: { code: 'invalid_id' } } });
    expect((await request('GET', `/ed-fi/scools/${body.id}`)).body.error.nearest).toBe('schools');
  });

  it('lists by page, identity, body and reference', async () => {
    const { request } = await start();
    for (let id = 1; id <= 30; id++) await request('POST', '/ed-fi/schools', school(id, { isOpen: id % 2 === 0 }));
    for (const id of [1, 2]) await request('POST', '/ed-fi/calendars', calendar(`C${id}`, id, 2025 + id));
    const course = { courseCode: '7', educationOrganizationReference: { educationOrganizationId: 1 } };
    await request('POST', '/ed-fi/courses', { ...course, schoolReference: { schoolId: 2 } });

    const ids = async (path: string) =>
      // biome-ignore lint/suspicious/noExplicitAny: whatever the service answers.
      (await request('GET', path)).body.map((each: any) => each.schoolId ?? each.calendarCode ?? each.courseCode);
    expect((await ids('/ed-fi/schools')).length).toBe(25);
    expect(await ids('/ed-fi/schools?limit=2&offset=3')).toEqual([4, 5]);
    expect(await ids('/ed-fi/schools?schoolId=7')).toEqual([7]);
    expect(await ids('/ed-fi/schools?nameOfInstitution=School%207')).toEqual([7]);
    expect(await ids('/ed-fi/schools?isOpen=true&limit=2')).toEqual([2, 4]);
    expect(await ids('/ed-fi/schools?isOpen=true&schoolId=1')).toEqual([]);
    expect(await ids('/ed-fi/schools?schoolId=3&schoolId=4')).toEqual([3, 4]);
    expect(await ids('/ed-fi/calendars?schoolId=2')).toEqual(['C2']);
    expect(await ids('/ed-fi/calendars?schoolYear=2026')).toEqual(['C1']);
    expect(await ids('/ed-fi/courses?schoolId=2')).toEqual(['7']);
    expect(await ids('/ed-fi/courses?schoolId=1')).toEqual([]);
    expect(await ids('/ed-fi/courses?courseCode=7')).toEqual(['7']);
    expect(await ids('/ed-fi/courses?unheardOf=7')).toEqual([]);
    expect(await ids(`/ed-fi/courses?${encodeURIComponent('a"b\\')}=${encodeURIComponent('x" || true')}`)).toEqual([]);
    const idOf = async (schoolId: number) => (await request('GET', `/ed-fi/schools?schoolId=${schoolId}`)).body[0].id;
    expect(await ids(`/ed-fi/calendars?referencing=${await idOf(2)}`)).toEqual(['C2']);
    expect(await ids(`/ed-fi/courses?referencing=${await idOf(1)}`)).toEqual(['7']);
    expect(await ids(`/ed-fi/courses?referencing=${await idOf(1)}&courseCode=8`)).toEqual([]);
    expect(await ids(`/ed-fi/calendars?referencing=${await idOf(7)}`)).toEqual([]);
    const [first] = (await request('GET', '/ed-fi/schools?limit=1')).body;
    expect(first).toEqual({ id: expect.stringMatching(uuidPattern), ...school(1, { isOpen: false }) });
  });

  it.each([
    'limit=0',
    'limit=501',
    'limit=x',
    'limit=',
    'limit=1&limit=2',
    'offset=-1',
    'offset=1.5',
    'referencing=7',
    'x=%00',
  ])('refuses ?%s', async (query) => {
    const { request } = await start();
    const answer = await request('GET', `/ed-fi/schools?${query}`);
    expect(answer.status).toBe(400);
    if (!query.startsWith('x')) expect(answer.body.error.parameter).toBe(query.split('=')[0]);
  });
});

describe('put', () => {
  it('changes the body and never the natural key', async () => {
    const { request, db } = await start();
    const { body } = await request('POST', '/ed-fi/schools', school(1));
    const path = `/ed-fi/schools/${body.id}`;
    expect((await request('PUT', path, { ...school(1), id: body.id, webSite: 'w' })).status).toBe(204);
    expect((await request('GET', path)).body).toEqual({ ...school(1), id: body.id, webSite: 'w' });
    expect((await db.query("SELECT FROM documents WHERE body ? 'id'")).rowCount).toBe(0);

    const change = await request('PUT', path, school(2));
    expect(change).toMatchObject({ status: 400, body: { error: { code: 'identity_change' } } });
    expect(change.body.error.message).toContain('it is {"schoolId":1}, and the body has {"schoolId":2}');
    expect((await request('PUT', path, { ...school(1), id: randomUUID() })).status).toBe(400);
    expect((await request('PUT', `/ed-fi/schools/${randomUUID()}`, school(1))).status).toBe(404);
    expect((await request('PUT', '/ed-fi/schools/1', school(1))).status).toBe(400);
    const agency = await request('PUT', `/ed-fi/localEducationAgencies/${body.id}`, { localEducationAgencyId: 1 });
    expect(agency.status).toBe(404);
    const unresolved = await request('PUT', path, school(1, { calendarReference: calendarKey }));
    expect(unresolved).toMatchObject({ status: 409, body: { error: { code: 'unresolved_references' } } });
    expect((await request('GET', path)).body.webSite).toBe('w');
    expect(await inconsistencies(db)).toEqual([]);
  });
});

const calendarKey = { calendarCode: 'A', schoolId: 1, schoolYear: 2026 };

describe('delete', () => {
  it('refuses while others refer to the document, by any of its aliases', async () => {
    const { request, db } = await start();
    const { body } = await request('POST', '/ed-fi/schools', school(1));
    const path = `/ed-fi/schools/${body.id}`;
    const course = { courseCode: 'A', educationOrganizationReference: { educationOrganizationId: 1 } };
    const bySuperclass = await request('POST', '/ed-fi/courses', course);
    const byName = await request('POST', '/ed-fi/calendars', calendar('A', 1));

    const refused = await request('DELETE', path);
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'still_referenced' } } });
    const named = refused.body.error.referencedBy.map((each: { id: string }) => each.id);
    expect(named.sort()).toEqual([bySuperclass.body.id, byName.body.id].sort());
    expect(refused.body.error.message).toContain('Calendar {"schoolId":1');
    expect((await request('GET', path)).status).toBe(200);

    expect((await request('DELETE', `/ed-fi/calendars/${byName.body.id}`)).status).toBe(204);
    expect((await request('DELETE', path)).body.error.referencedBy.length).toBe(1);
    expect((await request('DELETE', `/ed-fi/courses/${bySuperclass.body.id}`)).status).toBe(204);
    expect((await request('DELETE', `/ed-fi/calendars/${body.id}`)).status).toBe(404);
    expect((await request('DELETE', path)).status).toBe(204);
    expect((await request('DELETE', path)).status).toBe(404);
    expect((await request('GET', path)).status).toBe(404);
    for (const table of ['documents', 'aliases', '"references"']) {
      expect((await db.query(`SELECT FROM ${table}`)).rowCount).toBe(0);
    }
  });
});

describe('other routes', () => {
  it('answers 404 and 405 with a reason', async () => {
    const { request, url } = await start();
    expect(await request('GET', '/nothing')).toMatchObject({ status: 404, body: { error: { code: 'unknown_route' } } });
    expect((await request('GET', '/ed-fi/schools/1/2')).status).toBe(404);
    const patch = await request('PATCH', '/ed-fi/schools', {});
    expect(patch).toMatchObject({ status: 405, body: { error: { code: 'method_not_allowed' } } });
    expect(patch.headers.get('allow')).toBe('GET, HEAD, POST');
    expect((await request('DELETE', '/ed-fi/schools')).status).toBe(405);
    expect((await request('POST', '/health', {})).status).toBe(405);
    expect((await request('POST', `/ed-fi/schools/${randomUUID()}`, {})).headers.get('allow')).toContain('PUT');
    expect((await fetch(`${url}/ed-fi/%ff`)).status).toBe(400);
    expect(await (await fetch(`${url}/ed-fi/%ff`)).json()).toMatchObject({ error: { code: 'bad_request' } });
    expect((await fetch(`${url}/health`, { method: 'HEAD' })).status).toBe(200);
  });

  it('is healthy', async () => {
    const { request } = await start();
    expect(await request('GET', '/health')).toMatchObject({ status: 200, body: { status: 'ok' } });
  });

  it('has the metrics that its probe reads', async () => {
    const { request } = await start();
    await request('POST', '/ed-fi/schools', school(1));
    await request('GET', '/nothing');
    const { body } = await request('GET', '/metrics');
    for (const line of [
      'pg_pool_total 1',
      'pg_pool_idle 1',
      'pg_pool_in_use 0',
      'pg_pool_waiting 0',
      'pg_pool_max 10',
      'http_requests_in_flight 0',
      'pg_pool_acquire_seconds_count 1',
      'http_request_duration_seconds_count{method="POST",route="/ed-fi/:resource",status_code="201"} 1',
      'http_request_duration_seconds_count{method="GET",route="unmatched",status_code="404"} 1',
      'lock_conflicts_total{reason="lock_not_available"} 0',
      'lock_retries_total 0',
    ]) {
      expect(body.split('\n')).toContain(line);
    }
    expect(body).toMatch(/^process_cpu_seconds_total /m);
    expect(body).toMatch(/^nodejs_eventloop_lag_seconds /m);
    expect(body).toMatch(/^event_loop_lag_seconds_bucket\{le="\+Inf"\} [1-9]/m);
    expect(Number(/^event_loop_active_seconds_total (\S+)$/m.exec(body)?.[1])).toBeGreaterThan(0);
    expect(Number(/^pg_pool_held_seconds_count (\S+)$/m.exec(body)?.[1])).toBeGreaterThan(0);
  });
});
