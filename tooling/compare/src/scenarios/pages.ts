import { formatCollectionPath, mayPersist, formatObjectPath } from '../cases/subjects.ts'
import type { Step } from '../cases/case.ts'
import { accepts } from './accepts.ts'
import { createLabelledObjects, pickMaybe, runSelector } from './labelled.ts'
import type { Query } from './labelled.ts'
import { withQuery } from './scenario.ts'
import type { Scenario } from './scenario.ts'

/**
 * Scenario that reads a list in pages while objects are created and deleted. The requests combine the continue token with other parameters.
 */
export const pages: Scenario = {
  name: 'pages',
  weight: 4,
  suits: mayPersist,
  steps: (random, subject) => {
    const path = formatCollectionPath(subject)
    const first: Query = {
      limit: random.pick(['1', '1', '2']),
      resourceVersion: pickMaybe(random, 0.2, ['0', '']),
      resourceVersionMatch: pickMaybe(random, 0.1, ['NotOlderThan', 'Exact']),
      labelSelector: pickMaybe(random, 0.2, ['app', 'app in (a,c)']),
      ...runSelector(subject),
    }
    const accept = random.chance(0.6) ? 'application/json' : random.pick(accepts)
    const steps: Step[] = [
      ...createLabelledObjects(random, subject, ['a', 'b', 'c']),
      { method: 'GET', path: withQuery(path, first), save: { token: 'metadata.continue' } },
    ]
    if (random.chance(0.3)) steps.push({ method: 'DELETE', path: withQuery(formatObjectPath(subject, 'b'), { gracePeriodSeconds: '0' }) })
    for (let remaining = random.pick([1, 2]); remaining > 0; remaining--) {
      const query: Query = {
        limit: random.pick(['1', '2', '5', '0', '', undefined]),
        resourceVersion: pickMaybe(random, 0.15, ['0', 'x', '']),
        resourceVersionMatch: pickMaybe(random, 0.1, ['NotOlderThan', 'Exact', '']),
        labelSelector: first['labelSelector'],
        fieldSelector: pickMaybe(random, 0.1, ['metadata.name=c', 'metadata.name!=b']),
        sendInitialEvents: pickMaybe(random, 0.03, ['true', 'false']),
        watch: pickMaybe(random, 0.03, ['false', 'x']),
        timeoutSeconds: '1',
      }
      // The placeholder of the continue token is replaced when the step is sent.
      steps.push({ method: 'GET', path: `${withQuery(path, query)}&continue=\${token}`, headers: { accept } })
    }
    return steps
  },
}
