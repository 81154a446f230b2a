import { listFirstObjects, groupName, groups, pods, createPodBody } from './fill-store.ts'
import type { DatasetSize } from './fill-store.ts'
import type { RequestKind } from './request-maker.ts'
import { runClient } from './run-client.ts'
import { ask } from './server-under-test.ts'
import type { ServerUnderTest } from './server-under-test.ts'

/** Creates the objects of a dataset through API requests, for servers whose store the benchmark cannot write. Skips existing objects. */
export async function fillServer(server: ServerUnderTest, size: DatasetSize): Promise<void> {
  for (const [path, object] of listFirstObjects()) {
    const { status, body } = await ask(server, 'POST', path, object)
    if (status !== 201 && status !== 409) throw new Error(`${server.name}: ${path} returned ${status}: ${body.toString()}`)
  }
  if (size.configMaps > 0) throw new Error('only pods can be created through requests')
  const [first, ...interleavedRequests] = Array.from({ length: groups }, (_, group) => buildPods(group))
  const { url, token } = server
  const job = { url, token, connections: 32, pipeline: 1, seconds: 600, count: size.pods, request: first!.request, interleavedRequests }
  const { failures, firstFailure } = await runClient(job)
  if (failures > 0 && firstFailure !== 409) throw new Error(`${server.name}: creating pods failed with ${firstFailure}`)
}

function buildPods(group: number): RequestKind {
  const body = JSON.stringify(createPodBody('pod-{n}', groupName(group)))
  return {
    times: 1,
    request: { method: 'POST', path: pods, contentType: 'application/json', body, digits: 6, firstNumber: group, step: groups },
  }
}
