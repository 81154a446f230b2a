import type { Step } from '../cases/case.ts'
import { mutated } from '../cases/mutate.ts'
import { example, isKept, objectPath } from '../cases/subjects.ts'
import { part, randomWrite } from './patches.ts'
import { withQuery } from './scenario.ts'
import type { Scenario } from './scenario.ts'

/** Several managers apply what they want of one object; one of them forces, another one just writes. */
export const apply: Scenario = {
  name: 'apply',
  weight: 15,
  suits: isKept,
  steps: (random, subject) => {
    const body = example(random, subject, 'one')
    const path = objectPath(subject, 'one')
    const { apiVersion = '', kind = '', metadata = {}, ...rest } = body
    const steps: Step[] = []
    for (let left = random.pick([2, 2, 3, 4]); left > 0; left--) {
      if (steps.length > 0 && random.chance(0.2)) {
        steps.push(randomWrite(random, subject, path, body))
        continue
      }
      const wanted = steps.length === 0 && random.chance(0.7) ? body : mutated(random, body, subject.schema)
      const some = random.chance(0.5) ? wanted : { apiVersion, kind, metadata, ...(part(random, rest) as object) }
      steps.push({
        method: 'PATCH',
        path: withQuery(path, {
          fieldManager: random.pick(['one', 'one', 'two', 'three']),
          force: random.chance(0.4) ? 'true' : undefined,
          fieldValidation: random.chance(0.1) ? 'Strict' : undefined,
          dryRun: random.chance(0.05) ? 'All' : undefined,
        }),
        headers: { 'content-type': 'application/apply-patch+yaml' },
        body: some,
      })
    }
    return [...steps, { method: 'GET', path }]
  },
}
