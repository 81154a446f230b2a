import { mutateCopy } from '../cases/mutate.ts'
import { formatCollectionPath, createSubjectExample } from '../cases/subjects.ts'
import { withQuery } from './scenario.ts'
import type { Scenario } from './scenario.ts'

/** Scenario that creates one invalid or unusual object as a dry run. */
export const create: Scenario = {
  name: 'create',
  weight: 40,
  suits: () => true,
  steps: (random, subject) => [
    {
      method: 'POST',
      path: withQuery(formatCollectionPath(subject), {
        dryRun: 'All',
        fieldValidation: random.chance(0.15) ? random.pick(['Strict', 'Warn', 'Ignore', 'Bogus']) : undefined,
        fieldManager: random.chance(0.5) ? 'golden' : undefined,
      }),
      ...(random.chance(0.1) && { headers: { 'content-type': 'application/yaml' } }),
      body: mutateCopy(random, createSubjectExample(random, subject, 'one'), subject.schema),
    },
  ],
}
