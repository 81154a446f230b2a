import { MetricsPage } from '@keelson/tooling-e2e/metrics-page'
import { expect, test } from 'vitest'
import { compareCounts, compareObjectCounts } from './compare-counts.ts'
import { createLabels } from './kinds.ts'
import { Tally } from './tally.ts'

const labels = 'component="apiserver",dry_run="",group="",resource="configmaps",scope="resource",subresource="",verb="GET",version="v1"'
const sli = labels.replace('dry_run="",', '')

interface Counts {
  readonly requests: number
  readonly bytes?: number
  readonly events?: number
  readonly objects?: number
  readonly watches?: number
  readonly users?: number
  readonly others?: number
}

/** Creates a page of metrics after some requests. Values are consistent unless a count is given. */
function createPage({
  requests,
  bytes = requests * 100,
  events = requests,
  objects = 3,
  watches = 1,
  users = requests + 1,
  others = 0,
}: Counts): MetricsPage {
  return new MetricsPage(`# TYPE apiserver_request_total counter
apiserver_request_total{code="200",${labels}} ${requests}
apiserver_request_total{code="500",${labels}} ${others}
# TYPE apiserver_request_duration_seconds histogram
apiserver_request_duration_seconds_count{${labels}} ${requests}
# TYPE apiserver_request_sli_duration_seconds histogram
apiserver_request_sli_duration_seconds_count{${sli}} ${requests}
# TYPE apiserver_response_sizes histogram
apiserver_response_sizes_count{${sli}} ${requests}
apiserver_response_sizes_sum{${sli}} ${bytes}
# TYPE apiserver_watch_events_total counter
apiserver_watch_events_total{resource="configmaps"} ${events}
# TYPE apiserver_watch_events_sizes histogram
apiserver_watch_events_sizes_count{resource="configmaps"} ${events}
apiserver_watch_events_sizes_sum{resource="configmaps"} ${events * 10}
# TYPE apiserver_storage_events_received_total counter
apiserver_storage_events_received_total{resource="configmaps"} ${events}
# TYPE apiserver_storage_objects gauge
apiserver_storage_objects{resource="configmaps"} ${objects}
# TYPE apiserver_resource_objects gauge
apiserver_resource_objects{resource="configmaps"} ${objects}
# TYPE apiserver_longrunning_requests gauge
apiserver_longrunning_requests{resource="configmaps",verb="WATCH"} ${watches}
# TYPE authentication_attempts counter
authentication_attempts{result="success"} ${users}
# TYPE authenticated_user_requests counter
authenticated_user_requests{username="other"} ${users}
# TYPE authorization_attempts_total counter
authorization_attempts_total{result="allowed"} ${users}
`)
}

function compareWith(after: Counts): string[] {
  const tally = new Tally()
  for (let i = 0; i < 5; i++) {
    tally.countRequest(createLabels({ group: '', version: 'v1', resource: 'configmaps' }, 'GET'), 200, 100)
    tally.countChanges('configmaps')
    tally.countEvents('configmaps', 1, 10)
  }
  const state = { openWatches: new Map([['configmaps', 1]]), otherRequests: 1 }
  const pages = { before: createPage({ requests: 10, users: 11 }), after: createPage(after) }
  return [...compareCounts(pages, tally, state), ...compareObjectCounts(pages.after, new Map([['configmaps', 3]]))]
}

test('finds no differences if all counts are equal', () => {
  expect(compareWith({ requests: 15, users: 17 })).toEqual([])
})

test.each<[string, Counts]>([
  ['apiserver_request_total', { requests: 14, users: 17 }],
  ['apiserver_request_total.*500', { requests: 15, users: 17, others: 1 }],
  ['apiserver_response_sizes_sum', { requests: 15, users: 17, bytes: 1501 }],
  ['apiserver_watch_events_total', { requests: 15, users: 17, events: 16 }],
  ['apiserver_storage_objects', { requests: 15, users: 17, objects: 4 }],
  ['apiserver_longrunning_requests', { requests: 15, users: 17, watches: 0 }],
  ['authentication_attempts', { requests: 15, users: 18 }],
  ['was 10 and is 9', { requests: 9, users: 17 }],
])('finds a wrong count of %s', (text, after) => {
  expect(compareWith(after)).toContainEqual(expect.stringMatching(new RegExp(text)))
})
