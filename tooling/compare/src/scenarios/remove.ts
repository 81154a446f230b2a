import type { JsonObject } from '@keelson/apimachinery'
import type { Step } from '../cases/case.ts'
import { formatCollectionPath, createSubjectExample, mayPersist, formatObjectPath } from '../cases/subjects.ts'
import { accepts } from './accepts.ts'
import { deleteOptions, deleteQuery } from './delete-options.ts'
import { forms, withQuery } from './scenario.ts'
import type { Scenario } from './scenario.ts'

/** Scenario that deletes an object with random options and then reads the object. The object may have finalizers. */
export const remove: Scenario = {
  name: 'remove',
  weight: 10,
  suits: mayPersist,
  steps: (random, subject) => {
    const body = createSubjectExample(random, subject, 'one')
    const finalizers = random.pick([undefined, undefined, ['example.com/guard'], ['orphan'], ['foregroundDeletion', 'example.com/guard']])
    if (finalizers !== undefined) (body['metadata'] as JsonObject)['finalizers'] = finalizers
    const path = formatObjectPath(subject, 'one')
    const steps: Step[] = [{ method: 'POST', path: formatCollectionPath(subject), body }]
    for (let remaining = random.pick([1, 2, 2]); remaining > 0; remaining--) {
      steps.push({
        method: 'DELETE',
        path: withQuery(path, deleteQuery(random)),
        ...(random.chance(0.4) && { body: deleteOptions(random) }),
      })
      steps.push({ method: 'GET', path, ...(random.chance(0.3) && { headers: { accept: random.pick([forms.table, ...accepts]) } }) })
    }
    return steps
  },
}
