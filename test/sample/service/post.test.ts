import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { calendar, inconsistencies, school, uuidPattern, withServices } from './harness.ts';

const { start } = withServices();

describe('post', () => {
  it('creates with 201 and changes with 200, under the same id', async () => {
    const { request, db } = await start();
    const created = await request('POST', '/ed-fi/schools', school(1));
    expect(created.status).toBe(201);
    expect(created.body).toEqual({ id: expect.stringMatching(uuidPattern) });
    expect(created.headers.get('location')).toBe(`/ed-fi/schools/${created.body.id}`);

    const changed = await request('POST', '/ed-fi/schools', school(1, { webSite: 'https://school.example' }));
    expect(changed).toMatchObject({ status: 200, body: created.body });
    const read = await request('GET', `/ed-fi/schools/${created.body.id}`);
    expect(read.body).toEqual({ id: created.body.id, ...school(1, { webSite: 'https://school.example' }) });

    const { rows } = await db.query(
      'SELECT resource_name, identity, is_descriptor, created_at < last_modified_at AS modified, document_id FROM documents',
    );
    expect(rows).toMatchObject([
      { resource_name: 'School', identity: { schoolId: 1 }, is_descriptor: false, modified: true },
    ]);
    expect(rows[0].document_id).toMatch(/^[A-Za-z0-9_-]{38}$/);
    expect(await inconsistencies(db)).toEqual([]);
  });

  it('keeps the aliases of a subclass and the references of the newest body', async () => {
    const { request, db } = await start();
    await request('POST', '/ed-fi/schools', school(1));
    await request('POST', '/ed-fi/schools', school(2));
    const counts = async () =>
      (await db.query('SELECT (SELECT count(*)::int FROM aliases) AS a, (SELECT count(*)::int FROM "references") AS r'))
        .rows[0];
    expect(await counts()).toEqual({ a: 4, r: 0 });
    const course = (more: object) => ({
      courseCode: 'A',
      educationOrganizationReference: { educationOrganizationId: 1 },
      ...more,
    });
    expect(await request('POST', '/ed-fi/courses', course({}))).toMatchObject({ status: 201 });
    expect(await counts()).toEqual({ a: 5, r: 1 });
    await request('POST', '/ed-fi/courses', course({ schoolReference: { schoolId: 2 } }));
    expect(await counts()).toEqual({ a: 5, r: 2 });
    await request('POST', '/ed-fi/courses', course({}));
    expect(await counts()).toEqual({ a: 5, r: 1 });
    expect(await inconsistencies(db)).toEqual([]);
  });

  it('refuses a subclass whose identity another subclass has', async () => {
    const { request, db } = await start();
    const first = await request('POST', '/ed-fi/schools', school(1));
    const second = await request('POST', '/ed-fi/localEducationAgencies', { localEducationAgencyId: 1 });
    expect(second).toMatchObject({
      status: 409,
      body: { error: { code: 'identity_claimed', claimedBy: { resource: 'School', id: first.body.id } } },
    });
    expect(second.body.error.message).toContain('the School {"schoolId":1}');
    expect((await db.query('SELECT FROM documents')).rowCount).toBe(1);
    expect(await request('DELETE', `/ed-fi/schools/${first.body.id}`)).toMatchObject({ status: 204 });
    const third = await request('POST', '/ed-fi/localEducationAgencies', { localEducationAgencyId: 1 });
    expect(third.status).toBe(201);
  });

  it('refuses references to what does not exist, naming all of it', async () => {
    const { request, db } = await start();
    const answer = await request('POST', '/ed-fi/calendars', {
      ...calendar('A', 9),
      calendarTypeDescriptor: 'uri://ed-fi.org/CalendarTypeDescriptor#Holiday',
    });
    expect(answer.status).toBe(409);
    expect(answer.body.error).toMatchObject({
      code: 'unresolved_references',
      missing: [
        { resource: 'School', identity: { schoolId: 9 } },
        {
          resource: 'CalendarTypeDescriptor',
          identity: { namespace: 'uri://ed-fi.org/CalendarTypeDescriptor', codeValue: 'Holiday' },
        },
      ],
    });
    expect(answer.body.error.message).toContain('School {"schoolId":9}');
    expect((await db.query('SELECT FROM aliases')).rowCount).toBe(0);

    const descriptor = { namespace: 'uri://ed-fi.org/CalendarTypeDescriptor', codeValue: 'Holiday' };
    expect((await request('POST', '/ed-fi/calendarTypeDescriptors', descriptor)).status).toBe(201);
    const again = await request('POST', '/ed-fi/calendars', {
      ...calendar('A', 9),
      calendarTypeDescriptor: 'uri://ed-fi.org/CalendarTypeDescriptor#Holiday',
    });
    expect(again.body.error.missing).toEqual([{ resource: 'School', identity: { schoolId: 9 } }]);
  });

  it('takes unresolved references where VALIDATE_REFERENCES is off', async () => {
    const { request, db } = await start({ VALIDATE_REFERENCES: 'off' });
    expect((await request('POST', '/ed-fi/calendars', calendar('A', 9))).status).toBe(201);
    expect((await db.query('SELECT FROM "references"')).rowCount).toBe(1);
  });

  it.each([
    ['/ed-fi/school', school(1), 404, 'unknown_resource', /'school'; did you mean 'schools'\?/],
    ['/ed-fi/schools', '{"schoolId":', 400, 'invalid_json', /not valid JSON/],
    ['/ed-fi/schools', '', 400, 'invalid_json', /found nothing/],
    ['/ed-fi/schools', '[]', 400, 'invalid_document', /found an array/],
    ['/ed-fi/schools', 'null', 400, 'invalid_document', /found null/],
    ['/ed-fi/schools', '7', 400, 'invalid_document', /found a number/],
    ['/ed-fi/schools', {}, 400, 'invalid_document', /^\/schoolId: expected a whole number, found nothing$/],
    ['/ed-fi/schools', { schoolId: '1' }, 400, 'invalid_document', /^\/schoolId/],
    ['/ed-fi/schools', school(1, { id: randomUUID() }), 400, 'invalid_document', /^\/id/],
    ['/ed-fi/calendars', { calendarCode: 'A' }, 400, 'invalid_document', /^\/schoolReference\/schoolId/],
    ['/ed-fi/schools', school(1, { name: 'a\u0000b' }), 400, 'invalid_value', /cannot store/],
    ['/ed-fi/schools', '{"schoolId":1,"name":"\\ud800"}', 400, 'invalid_value', /cannot store/],
    ['/ed-fi/schools', school(1, { name: 'x'.repeat(1024 * 1024) }), 413, 'body_too_large', /1 MiB/],
    ['/ed-fi/schools', `{"schoolId":1,"a":${'['.repeat(9e4)}${']'.repeat(9e4)}}`, 400, 'invalid_document', /levels/],
    ['/ed-fi/schools', '{"schoolId":1,"__proto__":{}}', 400, 'invalid_json', /JSON/],
  ])('refuses a bad post to %s (%#)', async (path, body, status, code, message) => {
    const { request, db } = await start();
    const answer = await request('POST', path, body);
    expect(answer.status).toBe(status);
    expect(answer.body.error).toMatchObject({ code, message: expect.stringMatching(message) });
    expect((await db.query('SELECT FROM documents')).rowCount).toBe(0);
  });

  it('answers a descriptor nested beyond all bounds with 400', async () => {
    const { request } = await start();
    for (const depth of [20_000, 400_000]) {
      const deep = `{"namespace":"uri://x/TermDescriptor","codeValue":"A","a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
      expect((await request('POST', '/ed-fi/termDescriptors', deep)).status).toBe(400);
    }
    expect((await request('GET', '/health')).status).toBe(200);
  });

  it('wants JSON', async () => {
    const { url } = await start();
    const answer = await fetch(`${url}/ed-fi/schools`, { method: 'POST', body: 'schoolId=1' });
    expect(answer.status).toBe(415);
    expect(await answer.json()).toMatchObject({ error: { code: 'unsupported_media_type' } });
  });
});
