import { mutated } from '../cases/mutate.ts'
import { collectionPath, example } from '../cases/subjects.ts'
import { withQuery } from './scenario.ts'
import type { Scenario } from './scenario.ts'

/** One object, broken or odd, that is tried and not kept. */
export const create: Scenario = {
  name: 'create',
  weight: 40,
  suits: () => true,
  steps: (random, subject) => [
    {
      method: 'POST',
      path: withQuery(collectionPath(subject), {
        dryRun: 'All',
        fieldValidation: random.chance(0.15) ? random.pick(['Strict', 'Warn', 'Ignore', 'Bogus']) : undefined,
        fieldManager: random.chance(0.5) ? 'golden' : undefined,
      }),
      ...(random.chance(0.1) && { headers: { 'content-type': 'application/yaml' } }),
      body: mutated(random, example(random, subject, 'one'), subject.schema),
    },
  ],
}
