import type { Random } from '../cases/random.ts'
import { formatCollectionPath, mayPersist, formatObjectPath } from '../cases/subjects.ts'
import type { Step } from '../cases/case.ts'
import { accepts } from './accepts.ts'
import { createLabelledObjects, runSelector } from './labelled.ts'
import type { Query } from './labelled.ts'
import { withQuery } from './scenario.ts'
import type { Scenario } from './scenario.ts'

const labelSelectors = [
  'app=a',
  'app==a',
  'app!=a',
  'app in (a,b)',
  'app notin (a)',
  'app',
  '!app',
  'app,n=1',
  'n in (1,2,3),app',
  'app=',
  'app in ()',
  'app in (a',
  '=a',
  ',',
  'a,,b',
  'app=a,',
  'n>3',
  'n<3',
  'n>x',
  'n>=3',
  'example.com/x=y',
  'Example.com/x',
  'a/b/c=1',
  '-a=1',
  'app=-a',
  'app=a b',
  ' app = a ',
  'app in (a, b , )',
  'app!',
  'app===a',
  '!app=a',
  'app in a',
  '💥',
  'app=💥',
  'x'.repeat(64),
  `app=${'x'.repeat(64)}`,
  '(a)',
  'app=a)',
  'in',
  'in in (in)',
  'app=a,app=b',
  'app\n=a',
  '"app"=a',
  'n=01',
]
const fieldSelectors = [
  'metadata.name=a',
  'metadata.name==a',
  'metadata.name!=a',
  'metadata.namespace=other',
  'metadata.name=a,metadata.namespace=other',
  'metadata.uid=x',
  'data.k=v',
  'metadata.name',
  '=q',
  'metadata.name=',
  'metadata.name=a=b',
  'metadata.name=a\\=b',
  'metadata.name=a\\,b',
  'metadata.name=\\x',
  'spec.nodeName=n1',
  'spec.nodeName=',
  'status.phase=Pending',
  'status.phase!=Running',
  'spec.bogus=1',
  ',',
  'metadata.name=a,',
  'spec.restartPolicy=Always',
  'spec.serviceAccountName=default',
  'metadata.name>a',
  'type=Opaque',
  'spec.type=ClusterIP',
  'spec.unschedulable=true',
  'reason=x',
  'involvedObject.kind=Pod',
  'status.successful=0',
  'status.replicas=0',
]
/** Scenario that creates two objects, then gets and lists these objects with valid and invalid parameters. */
export const read: Scenario = {
  name: 'read',
  weight: 15,
  suits: mayPersist,
  steps: (random, subject) => {
    const steps: Step[] = createLabelledObjects(random, subject, ['a', 'b'])
    const selector = runSelector(subject)
    for (let remaining = random.pick([2, 3, 4, 6]); remaining > 0; remaining--) {
      const one = random.chance(0.2)
      const query: Query = { ...createRandomQuery(random), ...selector }
      steps.push({
        method: random.chance(0.03) ? random.pick(['OPTIONS', 'TRACE', 'BOGUS']) : 'GET',
        path: one
          ? withQuery(formatObjectPath(subject, 'a'), {
              resourceVersion: query['resourceVersion'],
              pretty: query['pretty'],
              includeObject: query['includeObject'],
            })
          : withQuery(formatCollectionPath(subject), query),
        headers: { accept: random.chance(0.4) ? 'application/json' : random.pick(accepts) },
      })
    }
    return steps
  },
}

function createRandomQuery(random: Random): Query {
  const pickMaybe = (probability: number, values: readonly string[]): string | undefined =>
    random.chance(probability) ? random.pick(values) : undefined
  return {
    labelSelector: pickMaybe(0.5, labelSelectors),
    fieldSelector: pickMaybe(0.3, fieldSelectors),
    limit: pickMaybe(0.2, ['1', '0', '-1', 'x', '3', '500', '1.5', '99999999999999999999', '']),
    // Resource version 1 is left out, because it may be compacted on only one of the servers.
    resourceVersion: pickMaybe(0.15, ['', '0', 'x', '-1', '00', '1.5', '18446744073709551616']),
    resourceVersionMatch: pickMaybe(0.12, ['Exact', 'NotOlderThan', 'Bogus', '']),
    continue: pickMaybe(0.06, ['x', '', 'bm90anNvbg']),
    watch: pickMaybe(0.04, ['false', '0', 'x', 'False']),
    timeoutSeconds: pickMaybe(0.05, ['1', 'x', '-1', '0', '1.5']),
    sendInitialEvents: pickMaybe(0.03, ['true', 'false', 'x']),
    allowWatchBookmarks: pickMaybe(0.05, ['true', 'false', 'x', '1']),
    includeObject: pickMaybe(0.06, ['None', 'Metadata', 'Object', 'Bogus', '']),
    pretty: pickMaybe(0.05, ['true', '1', '0', 'x', '']),
    bogus: pickMaybe(0.03, ['1']),
  }
}
