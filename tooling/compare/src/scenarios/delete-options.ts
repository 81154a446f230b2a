import type { JsonObject } from '@keelson/apimachinery'
import type { Random } from '../cases/random.ts'

/** Returns random options of a delete as query parameters. */
export function deleteQuery(random: Random): Readonly<Record<string, string | undefined>> {
  return {
    propagationPolicy: random.pick([undefined, undefined, undefined, 'Foreground', 'Orphan', 'Background', 'Bogus', '']),
    gracePeriodSeconds: random.pick([undefined, undefined, undefined, '0', '5', '-1', 'x', '']),
    dryRun: random.pick([undefined, undefined, undefined, undefined, 'All', 'Bogus', '']),
    orphanDependents: random.pick([undefined, undefined, undefined, undefined, undefined, 'true', 'false', '']),
    uid: random.pick([...Array.from({ length: 12 }, () => undefined), 'x', '']),
    resourceVersion: random.pick([...Array.from({ length: 12 }, () => undefined), '1', '']),
  }
}

/** Returns random options of a delete as a request body. */
export function deleteOptions(random: Random): JsonObject {
  return {
    kind: random.pick(['DeleteOptions', 'DeleteOptions', 'DeleteOptions', 'DeleteOptions', 'CreateOptions', 'Pod']),
    apiVersion: random.pick(['v1', 'v1', 'v1', 'meta.k8s.io/v1', 'apps/v1']),
    ...random.pick<JsonObject>([
      {},
      { propagationPolicy: 'Background' },
      { propagationPolicy: 'Foreground', orphanDependents: false },
      { propagationPolicy: 'Orphan', gracePeriodSeconds: 0 },
      { propagationPolicy: 5 },
      { preconditions: { uid: 'x' } },
      { preconditions: { resourceVersion: '1' } },
      { preconditions: { uid: 'x', resourceVersion: '1' } },
      { preconditions: {} },
      { preconditions: 'x' },
      { gracePeriodSeconds: 5 },
      { gracePeriodSeconds: -1 },
      { gracePeriodSeconds: 1.5 },
      { gracePeriodSeconds: 'x' },
      { orphanDependents: true },
      { orphanDependents: 'true' },
      { dryRun: ['All'] },
      { dryRun: ['All', 'All'] },
      { dryRun: ['Bogus'] },
      { dryRun: 'All' },
      { ignoreStoreReadErrorWithClusterBreakingPotential: true },
      { bogus: 1 },
    ]),
  }
}
