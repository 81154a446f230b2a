import type { Pod } from '@keelson/api/core/v1'
import { expect, test } from 'vitest'
import { askServer, askServerForText } from './ask-server.fixture.ts'
import type { ServerChain } from './server-chain.ts'
import { startChain } from './start-chain.fixture.ts'

const pods = '/api/v1/namespaces/default/pods'

test('lists the pods of a node through an index', async () => {
  await using chain = await startChain({ admission: { disable: ['ServiceAccount'] } })
  for (let i = 0; i < 30; i++) {
    const body = { metadata: { name: `p${i}` }, spec: { nodeName: `n${i}`, containers: [{ name: 'c', image: 'i' }] } }
    expect((await askServer(chain, 'POST', pods, { body })).status).toBe(201)
  }
  // Repeats the list, because the first one only starts building the index in the background.
  await expect.poll(() => listAndFindIndex(chain)).toBe('f:spec.nodeName')
})

/** Lists the pods of a node and returns the index that served the request. */
async function listAndFindIndex(chain: ServerChain): Promise<string | undefined> {
  const oldCounts = await readListCounts(chain)
  const { body } = await askServer<{ items: readonly Pod[] }>(chain, 'GET', `${pods}?fieldSelector=spec.nodeName=n7`)
  expect(body.items.map(({ metadata }) => metadata.name)).toEqual(['p7'])
  return [...(await readListCounts(chain))].find(([index, count]) => count !== oldCounts.get(index))?.[0]
}

/** Reads the number of pod lists served by each index from the metrics. */
async function readListCounts(chain: ServerChain): Promise<ReadonlyMap<string, number>> {
  const { text } = await askServerForText(chain, 'GET', '/metrics')
  const lines = text.matchAll(/^apiserver_cache_list_total\{group="",index="(.*)",resource="pods"\} (\d+)$/gm)
  return new Map(Array.from(lines, ([, index, count]) => [index!, Number(count)]))
}
