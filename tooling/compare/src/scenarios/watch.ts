import type { Step } from '../cases/case.ts'
import { namespace } from '../cases/case.ts'
import { formatCollectionPath, createSubjectExample, mayPersist, formatObjectPath } from '../cases/subjects.ts'
import { runSelector } from './labelled.ts'
import { createRandomWrite } from './patches.ts'
import { forms, withQuery } from './scenario.ts'
import type { Scenario } from './scenario.ts'

/**
 * Scenario that opens two watches and then creates, changes and deletes an object. The events of the watches are compared. One watch uses a
 * selector or another media type.
 */
export const watch: Scenario = {
  name: 'watch',
  weight: 3,
  suits: mayPersist,
  steps: (random, subject) => {
    const body = createSubjectExample(random, subject, 'one')
    body['metadata'] = { ...(body['metadata'] as object), labels: { app: 'a', 'example.com/x': namespace } }
    const path = formatObjectPath(subject, 'one')
    const { labelSelector } = runSelector(subject)
    const open = (as: string, accept: string, query: Readonly<Record<string, string | undefined>>): Step => ({
      method: 'WATCH',
      path: withQuery(formatCollectionPath(subject), { watch: 'true', labelSelector, ...query }),
      headers: { accept },
      as,
    })
    const label = { metadata: { labels: { app: random.pick(['b', 'a', null]) } } }
    const options = random.pick([
      { labelSelector: 'app=a' },
      { labelSelector: 'app notin (a),example.com/x' },
      { fieldSelector: `metadata.name!=two`, ...(labelSelector && { labelSelector }) },
      {},
    ])
    return [
      { method: 'POST', path: formatCollectionPath(subject), body },
      open(
        'whole',
        'application/json',
        random.chance(0.5) ? {} : { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: 'true' },
      ),
      open('other', random.pick(['application/json', forms.table, forms.metadata]), options),
      { method: 'PATCH', path, headers: { 'content-type': 'application/merge-patch+json' }, body: label },
      createRandomWrite(random, subject, path, body),
      { method: 'DELETE', path: withQuery(path, { gracePeriodSeconds: '0' }) },
      { method: 'COLLECT', path: '', from: 'whole', ms: 150 },
      { method: 'COLLECT', path: '', from: 'other', ms: 0 },
    ]
  },
}
