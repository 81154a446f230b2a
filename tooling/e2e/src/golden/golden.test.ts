// Needs the recordings in ../shared/golden; skipped where they are absent.
import { expect, test } from 'vitest'
import { kindOfCase } from './kind-of-case.ts'
import { hasRecordings, playGolden } from './play.ts'
import { readCases } from './read-cases.ts'

const kinds = new Set(['ConfigMap', 'Secret', 'Namespace', 'ServiceAccount', 'Event', 'Pod'])
const scenarios = new Set(
  [
    'configmap-crud',
    'wrong-requests',
    'yaml',
    'list-selectors',
    'watch-list',
    'live-watch',
    'patch-json',
    'deletecollection',
    'admission-pods',
  ].map((name) => `scenario/${name}`),
)

test.skipIf(!hasRecordings)(
  'answers what the original answered',
  async () => {
    const needed = new Map(readCases().map((golden) => [golden.id, kindOfCase(golden)]))
    const { fails, total } = await playGolden(['--with', 'core,events.k8s.io,admission', '--show', '0'])
    expect(total).toBeGreaterThan(300)
    const wrong = fails.filter(({ id }) => scenarios.has(id) || kinds.has(needed.get(id) ?? ''))
    expect(wrong.map(({ id, step, want, got, diff }) => `${id} ${step}: want ${want} got ${got} ${diff ?? ''}`)).toEqual([])
  },
  120_000,
)
