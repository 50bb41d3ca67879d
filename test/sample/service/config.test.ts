import { describe, expect, it } from 'vitest';
import { sessionSettings } from '../../../scenarios/services/documents/model/service-facts.ts';
import { loadConfig } from '../../../scenarios/services/documents/service/config.ts';
import { sampleService } from '../../../src/journal/sample.ts';

const DATABASE_URL = 'postgres://user:secret@127.0.0.1:5432/database';

describe('loadConfig', () => {
  it('has what the bench says of the service', () => {
    expect(loadConfig({ DATABASE_URL }).poolMax).toBe(sampleService.pool.unset);
    expect(sessionSettings).toEqual(sampleService.sessionSettings);
  });

  it('has a default for everything but DATABASE_URL', () => {
    expect(loadConfig({ DATABASE_URL })).toEqual({
      host: '127.0.0.1',
      port: 3000,
      databaseUrl: DATABASE_URL,
      poolMax: 10,
      lockByDocumentUuid: 'share-nowait',
      lockByDocumentId: 'share-nowait',
      lockReferences: 'share-nowait',
      lockRetries: 5,
      isolation: 'read-committed',
      statements: 'pipelined',
      prepared: true,
      validateReferences: true,
      searchMode: 'off',
      openSearchUrl: null,
      indexPrefix: '',
      searchQueueMax: 10_000,
      queryFrom: 'postgres',
      admin: false,
    });
  });

  it('reads every variable', () => {
    const config = loadConfig({
      DATABASE_URL,
      HOST: '0.0.0.0',
      PORT: '0',
      POOL_MAX: '50',
      LOCK_BY_DOCUMENT_UUID: 'none',
      LOCK_BY_DOCUMENT_ID: 'key-share',
      LOCK_REFERENCES: 'key-share-nowait',
      LOCK_RETRIES: '0',
      ISOLATION: 'serializable',
      STATEMENTS: 'awaited',
      PREPARED: 'off',
      VALIDATE_REFERENCES: 'off',
      SEARCH_MODE: 'per-document',
      OPENSEARCH_URL: 'https://user:secret@search:9200',
      OPENSEARCH_INDEX_PREFIX: 'pgsweep_r1_a0-',
      SEARCH_QUEUE_MAX: '1',
      QUERY_FROM: 'opensearch',
    });
    expect(config).toMatchObject({ searchMode: 'per-document', searchQueueMax: 1, queryFrom: 'opensearch' });
    expect(config).toMatchObject({ openSearchUrl: 'https://user:secret@search:9200', indexPrefix: 'pgsweep_r1_a0-' });
    expect(config).toMatchObject({ host: '0.0.0.0', port: 0, poolMax: 50, lockRetries: 0, validateReferences: false });
    expect(config).toMatchObject({ lockByDocumentUuid: 'none', lockByDocumentId: 'key-share' });
    expect(config).toMatchObject({
      lockReferences: 'key-share-nowait',
      isolation: 'serializable',
      statements: 'awaited',
      prepared: false,
    });
  });

  it.each([
    [{ POOL_MAX: '0' }, 'POOL_MAX: expected a whole number from 1 to 1000, found "0"'],
    [{ POOL_MAX: 'many' }, 'POOL_MAX: expected a whole number from 1 to 1000, found "many"'],
    [{ POOL_MAX: '1e3' }, 'POOL_MAX: expected a whole number from 1 to 1000, found "1e3"'],
    [{ POOL_MAX: '' }, 'POOL_MAX: expected a whole number from 1 to 1000, found ""'],
    [{ PORT: '65536' }, 'PORT: expected a whole number from 0 to 65535, found "65536"'],
    [{ PORT: '-1' }, 'PORT: expected a whole number from 0 to 65535, found "-1"'],
    [{ LOCK_RETRIES: '101' }, 'LOCK_RETRIES: expected a whole number from 0 to 100, found "101"'],
    [
      { LOCK_REFERENCES: 'shared' },
      'LOCK_REFERENCES: expected one of share-nowait, share, key-share-nowait, key-share, none, found "shared"',
    ],
    [{ ISOLATION: 'none' }, 'ISOLATION: expected one of read-committed, serializable, found "none"'],
    [{ STATEMENTS: 'batched' }, 'STATEMENTS: expected one of pipelined, awaited, found "batched"'],
    [{ VALIDATE_REFERENCES: 'true' }, 'VALIDATE_REFERENCES: expected one of on, off, found "true"'],
    [{ DATABASE_URL: undefined }, /^DATABASE_URL: expected a URL such as postgres:.*, found nothing$/],
    [{ DATABASE_URL: 'mysql://root:secret@host/db' }, /^DATABASE_URL: .*found "mysql:\/\/root:\*\*\*@host\/db"$/],
    [{ SEARCH_MODE: 'on' }, 'SEARCH_MODE: expected one of off, per-document, bulk, async, found "on"'],
    [
      { SEARCH_MODE: 'bulk' },
      'OPENSEARCH_URL: expected a URL such as http://127.0.0.1:9200, since SEARCH_MODE is bulk, found nothing',
    ],
    [
      { OPENSEARCH_URL: '127.0.0.1:9200' },
      'OPENSEARCH_URL: expected a URL such as http://127.0.0.1:9200, found "127.0.0.1:9200"',
    ],
    [
      { QUERY_FROM: 'opensearch' },
      'QUERY_FROM: expected postgres, since SEARCH_MODE is off and nothing is indexed, found "opensearch"',
    ],
    [{ QUERY_FROM: 'both' }, 'QUERY_FROM: expected one of postgres, opensearch, found "both"'],
    [{ SEARCH_QUEUE_MAX: '0' }, 'SEARCH_QUEUE_MAX: expected a whole number from 1 to 1000000, found "0"'],
    [{ OPENSEARCH_INDEX_PREFIX: 'Arm' }, /^OPENSEARCH_INDEX_PREFIX: expected lower-case letters.*found "Arm"$/],
    [{ PORT: 'x', POOL_MAX: 'y' }, /^PORT: .*; POOL_MAX: .*found "y"$/],
  ])('refuses %o', (env, message) => {
    expect(() => loadConfig({ DATABASE_URL, ...env })).toThrow(message);
  });

  it('keeps passwords out of its message', () => {
    for (const url of ['mysql://u:secret@h/d', 'postgres//u:secret@h', 'pg://u:se@secret@h']) {
      expect(() => loadConfig({ DATABASE_URL: url })).toThrow(/^(?!.*secret)/);
    }
  });
});
