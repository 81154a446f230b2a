import { afterAll, beforeAll, expect, test } from 'vitest'
import { askServerForText } from './ask-server.fixture.ts'
import type { ServerChain } from './server-chain.ts'
import { startChain } from './start-chain.fixture.ts'

/** Names of kube-apiserver's checks at all endpoints, with its default flags. Those of start hooks begin with `poststarthook/`. */
const everywhere = ['ping', 'log', 'etcd', 'autoregister-completion']
const startHooks = [
  'aggregator-reload-proxy-client-cert',
  'apiservice-discovery-controller',
  'apiservice-openapi-controller',
  'apiservice-openapiv3-controller',
  'apiservice-registration-controller',
  'apiservice-status-local-available-controller',
  'apiservice-status-remote-available-controller',
  'bootstrap-controller',
  'crd-informer-synced',
  'generic-apiserver-start-informers',
  'kube-apiserver-autoregistration',
  'peer-endpoint-reconciler-controller',
  'priority-and-fairness-config-consumer',
  'priority-and-fairness-config-producer',
  'priority-and-fairness-filter',
  'rbac/bootstrap-roles',
  'scheduling/bootstrap-system-priority-classes',
  'start-apiextensions-controllers',
  'start-apiextensions-informers',
  'start-apiserver-admission-initializer',
  'start-cluster-authentication-info-controller',
  'start-kube-aggregator-informers',
  'start-kube-apiserver-identity-lease-controller',
  'start-kube-apiserver-identity-lease-garbage-collector',
  'start-kubernetes-service-cidr-controller',
  'start-legacy-token-tracking-controller',
  'start-service-ip-repair-controllers',
  'start-system-namespaces-controller',
  'storage-object-count-tracker-hook',
  'storage-readiness',
].map((name) => `poststarthook/${name}`)
const only: Readonly<Record<string, readonly string[]>> = {
  healthz: ['loopback-serving-certificate'],
  livez: ['loopback-serving-certificate'],
  readyz: ['etcd-readiness', 'informer-sync', 'shutdown'],
}

let chain: ServerChain
beforeAll(async () => {
  chain = await startChain({ controllers: ['none'] })
})
afterAll(() => chain.close())

test.each(Object.keys(only))("/%s has the checks of kube-apiserver and the server's own", async (endpoint) => {
  const { text } = await askServerForText(chain, 'GET', `/${endpoint}?verbose`)
  const names = [...text.matchAll(/^\[\+\](\S+) ok$/gm)].map(([, name]) => name!)
  const isOwn = (name: string): boolean => name.startsWith('keelson/') || name.startsWith('poststarthook/keelson/')
  expect(names.filter((name) => !isOwn(name)).toSorted()).toEqual([...everywhere, ...startHooks, ...only[endpoint]!].toSorted())
  expect(names.filter(isOwn)).toEqual([
    ...(endpoint === 'readyz' ? [] : ['keelson/event-loop', 'keelson/heap']),
    'poststarthook/keelson/start-controllers',
  ])
})
