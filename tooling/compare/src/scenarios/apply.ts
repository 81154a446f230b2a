import type { Step } from '../cases/case.ts'
import { mutateCopy } from '../cases/mutate.ts'
import { createSubjectExample, mayPersist, formatObjectPath } from '../cases/subjects.ts'
import { pickPart, createRandomWrite } from './patches.ts'
import { withQuery } from './scenario.ts'
import type { Scenario } from './scenario.ts'

/** Scenario in which several field managers apply parts of one object. One manager uses force, another one writes without apply. */
export const apply: Scenario = {
  name: 'apply',
  weight: 15,
  suits: mayPersist,
  steps: (random, subject) => {
    const body = createSubjectExample(random, subject, 'one')
    const path = formatObjectPath(subject, 'one')
    const { apiVersion = '', kind = '', metadata = {}, ...rest } = body
    const steps: Step[] = []
    for (let remaining = random.pick([2, 2, 3, 4]); remaining > 0; remaining--) {
      if (steps.length > 0 && random.chance(0.2)) {
        steps.push(createRandomWrite(random, subject, path, body))
        continue
      }
      const desired = steps.length === 0 && random.chance(0.7) ? body : mutateCopy(random, body, subject.schema)
      const configuration = random.chance(0.5) ? desired : { apiVersion, kind, metadata, ...(pickPart(random, rest) as object) }
      steps.push({
        method: 'PATCH',
        path: withQuery(path, {
          fieldManager: random.pick(['one', 'one', 'two', 'three']),
          force: random.chance(0.4) ? 'true' : undefined,
          fieldValidation: random.chance(0.1) ? 'Strict' : undefined,
          dryRun: random.chance(0.05) ? 'All' : undefined,
        }),
        headers: { 'content-type': 'application/apply-patch+yaml' },
        body: configuration,
      })
    }
    return [...steps, { method: 'GET', path }]
  },
}
