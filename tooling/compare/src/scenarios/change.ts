import { formatCollectionPath, createSubjectExample, mayPersist, formatObjectPath } from '../cases/subjects.ts'
import { forms, withQuery } from './scenario.ts'
import type { Scenario } from './scenario.ts'
import { createRandomOptions, createRandomWrite } from './patches.ts'

/** Scenario that creates an object, replaces it, patches it with all three patch types, and reads it. */
export const change: Scenario = {
  name: 'change',
  weight: 25,
  suits: mayPersist,
  steps: (random, subject) => {
    const body = createSubjectExample(random, subject, 'one')
    const path = formatObjectPath(subject, 'one')
    const writes = Array.from({ length: random.pick([1, 2, 2, 3, 4]) }, () => {
      const write = createRandomWrite(random, subject, path, body)
      return { ...write, path: withQuery(path, createRandomOptions(random)) }
    })
    return [
      { method: 'POST', path: withQuery(formatCollectionPath(subject), { fieldManager: 'golden' }), body },
      ...writes,
      { method: 'GET', path, ...(random.chance(0.3) && { headers: { accept: forms.table } }) },
    ]
  },
}
