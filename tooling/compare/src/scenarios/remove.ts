import type { JsonObject } from '@keelson/apimachinery'
import type { Step } from '../cases/case.ts'
import type { Random } from '../cases/random.ts'
import { collectionPath, example, isKept, objectPath } from '../cases/subjects.ts'
import { forms, withQuery } from './scenario.ts'
import type { Scenario } from './scenario.ts'

/** An object is deleted with options of every kind, held by finalizers or not, and looked for. */
export const remove: Scenario = {
  name: 'remove',
  weight: 10,
  suits: isKept,
  steps: (random, subject) => {
    const body = example(random, subject, 'one')
    const finalizers = random.pick([undefined, undefined, ['example.com/guard'], ['orphan'], ['foregroundDeletion', 'example.com/guard']])
    if (finalizers !== undefined) (body['metadata'] as JsonObject)['finalizers'] = finalizers
    const path = objectPath(subject, 'one')
    const steps: Step[] = [{ method: 'POST', path: collectionPath(subject), body }]
    for (let left = random.pick([1, 2, 2]); left > 0; left--) {
      steps.push({ method: 'DELETE', path: withQuery(path, randomQuery(random)), ...(random.chance(0.4) && { body: options(random) }) })
      steps.push({ method: 'GET', path, ...(random.chance(0.3) && { headers: { accept: forms.table } }) })
    }
    return steps
  },
}

function randomQuery(random: Random): Readonly<Record<string, string | undefined>> {
  return {
    propagationPolicy: random.pick([undefined, undefined, undefined, 'Foreground', 'Orphan', 'Background', 'Bogus']),
    gracePeriodSeconds: random.pick([undefined, undefined, undefined, '0', '5', '-1', 'x']),
    dryRun: random.pick([undefined, undefined, undefined, undefined, 'All', 'Bogus']),
    orphanDependents: random.pick([undefined, undefined, undefined, undefined, undefined, 'true', 'false']),
  }
}

function options(random: Random): JsonObject {
  return {
    kind: 'DeleteOptions',
    apiVersion: random.pick(['v1', 'v1', 'v1', 'meta.k8s.io/v1', 'apps/v1']),
    ...random.pick([
      {},
      { propagationPolicy: 'Background' },
      { propagationPolicy: 'Foreground', orphanDependents: false },
      { preconditions: { uid: 'x' } },
      { preconditions: { resourceVersion: '1' } },
      { gracePeriodSeconds: 5 },
      { gracePeriodSeconds: 'x' },
      { orphanDependents: true },
      { dryRun: ['All'] },
      { dryRun: ['Bogus'] },
      { bogus: 1 },
    ]),
  }
}
