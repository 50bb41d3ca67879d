// Looks at what is installed with pgsweep, not at what it is developed with. Exits with 1 where a licence is not one of
// those below, or the registry knows a vulnerability of high or critical severity. Where the registry does not answer, says so.
import { execFileSync, spawnSync } from 'node:child_process';

/** They ask for no more than that their notice is kept. */
const permissive = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'PostgreSQL',
  'Python-2.0',
  'Unlicense',
  'Zlib',
]);

const installed = JSON.parse(execFileSync('npm', ['query', '.prod'], { maxBuffer: 2 ** 28 }));
const packages = installed.filter(({ location }) => location !== '');
const wrong = packages.filter(({ license }) => !isPermissive(license));
for (const { name, version, license } of wrong)
  console.log(`licence of ${name} ${version}: ${license ?? 'none named'}`);
console.log(`licences: ${packages.length - wrong.length} of ${packages.length} packages are permissive`);

const worst = knownVulnerabilities();
if (worst === null) console.log('vulnerabilities: the registry does not answer, so none were looked for');
else console.log(`vulnerabilities: ${worst} of high or critical severity`);
if (wrong.length > 0 || worst > 0) process.exitCode = 1;

/** One of the two of `A OR B` is enough, both of `A AND B` are needed. */
function isPermissive(license) {
  const text = typeof license === 'string' ? license.replace(/[()]/g, '') : '';
  return text.split(' OR ').some((choice) => choice.split(' AND ').every((one) => permissive.has(one.trim())));
}

function knownVulnerabilities() {
  const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], { encoding: 'utf8' });
  try {
    const { high, critical } = JSON.parse(stdout).metadata.vulnerabilities;
    return high + critical;
  } catch {
    return null;
  }
}
