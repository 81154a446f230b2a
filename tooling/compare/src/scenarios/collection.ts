import type { JsonObject } from '@keelson/apimachinery'
import { formatCollectionPath, mayPersist } from '../cases/subjects.ts'
import type { Step } from '../cases/case.ts'
import { accepts } from './accepts.ts'
import { deleteOptions, deleteQuery } from './delete-options.ts'
import { createLabelledObjects, pickMaybe } from './labelled.ts'
import { withQuery } from './scenario.ts'
import type { Scenario } from './scenario.ts'

const selectors = ['app=a', 'app in (a,b)', 'app notin (a),example.com/x', 'example.com/x', 'app=nope', 'app in (']
const fields = ['metadata.name=a', 'metadata.name!=a', 'metadata.name=nope', 'metadata.bogus=a', 'metadata.namespace=other']

/** Scenario that deletes the objects of a collection by selector and lists the remaining objects. */
export const collection: Scenario = {
  name: 'collection',
  weight: 4,
  suits: (subject) => mayPersist(subject) && subject.namespaced && subject.verbs.includes('deletecollection'),
  steps: (random, subject) => {
    const path = formatCollectionPath(subject)
    const steps: Step[] = createLabelledObjects(random, subject, ['a', 'b'])
    if (random.chance(0.3)) ((steps[0]!.body as JsonObject)['metadata'] as JsonObject)['finalizers'] = ['example.com/guard']
    for (let remaining = random.pick([1, 2]); remaining > 0; remaining--) {
      const query = {
        ...deleteQuery(random),
        // Always select by label, because other cases have objects in this collection.
        labelSelector: random.pick(selectors),
        fieldSelector: pickMaybe(random, 0.2, fields),
        limit: pickMaybe(random, 0.15, ['1', '0', '-1', 'x']),
        resourceVersion: pickMaybe(random, 0.1, ['0', 'x', '']),
        resourceVersionMatch: pickMaybe(random, 0.05, ['Exact', 'NotOlderThan', 'Bogus']),
        continue: pickMaybe(random, 0.03, ['x']),
        watch: pickMaybe(random, 0.03, ['true', 'x']),
        sendInitialEvents: pickMaybe(random, 0.03, ['true']),
        timeoutSeconds: pickMaybe(random, 0.05, ['1', 'x']),
      }
      const headers = { accept: random.chance(0.6) ? 'application/json' : random.pick(accepts) }
      const body = random.chance(0.3) ? deleteOptions(random) : undefined
      steps.push({ method: 'DELETE', path: withQuery(path, query), headers, ...(body && { body }) })
      steps.push({ method: 'GET', path: withQuery(path, { labelSelector: 'example.com/x' }) })
    }
    return steps
  },
}
