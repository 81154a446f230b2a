import type { Step } from '../cases/case.ts'
import { formatCollectionPath, createSubjectExample, mayPersist, formatObjectPath } from '../cases/subjects.ts'
import { withQuery } from './scenario.ts'
import type { Scenario } from './scenario.ts'

/**
 * Scenario that sends requests with invalid bodies, content types, paths and methods. Servers reject such requests before decoding an
 * object.
 */
export const rubbish: Scenario = {
  name: 'rubbish',
  weight: 5,
  suits: mayPersist,
  steps: (random, subject) => {
    const text = JSON.stringify(createSubjectExample(random, subject, 'one'))
    const bodies = [
      '',
      '{',
      '[]',
      'null',
      '"x"',
      '{}',
      '1',
      text.slice(0, -3),
      `${text}x`,
      text.replace('{', '{"kind":"Bogus",'),
      text.replace(/"kind":"\w+"/, '"kind":"Bogus"'),
      text.replace(/"apiVersion":"[^"]+"/, '"apiVersion":"v9"'),
      text.replace(/"apiVersion":"[^"]+",/, ''),
      text.replace(/"metadata":\{/, '"metadata":{"name":"a","name":"b",'),
      'a: b\n- c',
      '\u0000',
      '💥',
    ]
    const types = [
      'application/json',
      'application/json',
      'application/yaml',
      'text/plain',
      'application/merge-patch+json',
      'application/json; charset=latin1',
      'application/vnd.kubernetes.protobuf',
      'nonsense',
      '*/*',
    ]
    const tried = { dryRun: 'All', fieldValidation: random.pick([undefined, undefined, 'Strict']) }
    const missing = formatObjectPath(subject, random.pick(['nope', 'Upper', '%20', 'a%2Fb', 'nope/bogus', 'nope/status']))
    return Array.from({ length: random.pick([1, 2, 3]) }, (): Step => {
      const headers = { 'content-type': random.pick(types) }
      switch (random.weighted({ post: 5, patch: 3, put: 2, path: 3 })) {
        case 'post':
          return { method: 'POST', path: withQuery(formatCollectionPath(subject), tried), headers, body: random.pick(bodies) }
        case 'put':
          return { method: 'PUT', path: withQuery(missing, tried), headers, body: random.pick(bodies) }
        case 'patch':
          return {
            method: 'PATCH',
            path: withQuery(missing, { ...tried, fieldManager: random.pick([undefined, 'a', '']) }),
            headers: {
              'content-type': random.pick([
                ...types,
                'application/json-patch+json',
                'application/strategic-merge-patch+json',
                'application/apply-patch+yaml',
              ]),
            },
            body: random.pick([...bodies, '[{"op":"add"}]', '[{}]', '{"metadata":{"name":"other"}}']),
          }
        case 'path':
          return { method: random.pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']), path: withQuery(missing, { dryRun: 'All' }) }
      }
    })
  },
}
