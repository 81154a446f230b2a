import { formatCollectionPath, mayPersist, formatObjectName } from '../cases/subjects.ts'
import { accepts } from './accepts.ts'
import { createLabelledObjects, pickMaybe, runSelector } from './labelled.ts'
import type { Query } from './labelled.ts'
import { withQuery } from './scenario.ts'
import type { Scenario } from './scenario.ts'

/** Scenario that opens a watch with valid and invalid parameters and media types. Also uses the deprecated watch paths. */
export const watching: Scenario = {
  name: 'watching',
  weight: 4,
  suits: mayPersist,
  steps: (random, subject) => {
    const query: Query = {
      watch: random.pick(['true', 'true', 'true', '1', '', 'x']),
      resourceVersion: pickMaybe(random, 0.4, ['', '0', '0', 'x', '-1', '99999999999999999999']),
      resourceVersionMatch: pickMaybe(random, 0.3, ['NotOlderThan', 'NotOlderThan', 'Exact', 'Bogus', '']),
      sendInitialEvents: pickMaybe(random, 0.4, ['true', 'true', 'false', 'x', '']),
      allowWatchBookmarks: pickMaybe(random, 0.4, ['true', 'true', 'false', 'x', '1', '']),
      labelSelector: pickMaybe(random, 0.3, ['app=a', 'app notin (a)', 'app in (', 'app=nope']),
      fieldSelector: pickMaybe(random, 0.2, [
        'metadata.name=a',
        'metadata.name!=a',
        'metadata.bogus=a',
        'metadata.name=a,metadata.namespace=other',
      ]),
      limit: pickMaybe(random, 0.1, ['1', 'x', '-1']),
      continue: pickMaybe(random, 0.05, ['x', '']),
      timeoutSeconds: random.pick(['1', '2', '2', '2', 'x', '']),
      includeObject: pickMaybe(random, 0.1, ['None', 'Metadata', 'Object', 'Bogus', '']),
      pretty: pickMaybe(random, 0.05, ['true']),
      ...runSelector(subject),
    }
    const old = random.chance(0.2)
    const collection = formatCollectionPath(subject)
    const path = old ? collection.replace(/^\/api(?:\/v1|s\/[^/]+\/[^/]+)/, '$&/watch') : collection
    const namePath = old && random.chance(0.4) ? `/${formatObjectName(subject, random.pick(['a', 'a', 'nope']))}` : ''
    const accept = random.pick(random.chance(0.6) ? ['application/json'] : accepts.filter((form) => !form.includes('protobuf')))
    return [
      ...createLabelledObjects(random, subject, ['a', 'b']),
      {
        method: 'WATCH',
        path: withQuery(path + namePath, old ? { ...query, watch: pickMaybe(random, 0.2, ['false', 'true']) } : query),
        headers: { accept },
        as: 'it',
      },
      { method: 'COLLECT', path: '', from: 'it', ms: 100 },
    ]
  },
}
