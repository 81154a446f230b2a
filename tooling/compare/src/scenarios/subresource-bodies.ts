import type { JsonObject, JsonValue } from '@keelson/apimachinery'
import { oddAnything, oddNumbers } from '../cases/odd-values.ts'
import type { Random } from '../cases/random.ts'
import { deleteOptions } from './delete-options.ts'

/** Returns a random Binding of a pod to a node. */
export function createRandomBinding(random: Random, metadata: JsonObject): JsonObject {
  return {
    apiVersion: random.pick(['v1', 'v1', 'v1', 'v2']),
    kind: random.pick(['Binding', 'Binding', 'Binding', 'Pod']),
    metadata: {
      ...metadata,
      ...random.pick<JsonObject>([{}, {}, { labels: { a: 'b' } }, { annotations: { a: 'b' } }, { uid: 'x' }, { resourceVersion: '1' }]),
    },
    target: random.pick<JsonValue>([
      { kind: 'Node', name: 'n' },
      { kind: 'Node', name: 'n' },
      { name: 'n' },
      { name: 'N!' },
      { name: '' },
      { kind: 'Pod', name: 'n' },
      { kind: 'Node', name: 'n', namespace: 'x', uid: 'y' },
      {},
      ...oddAnything,
    ]),
  }
}

/** Returns a random Eviction of a pod. */
export function createRandomEviction(random: Random, metadata: JsonObject): JsonObject {
  return {
    apiVersion: random.pick(['policy/v1', 'policy/v1', 'policy/v1beta1', 'policy/v2', 'v1']),
    kind: random.pick(['Eviction', 'Eviction', 'Eviction', 'Pod']),
    metadata,
    ...random.pick<JsonObject>([
      {},
      { deleteOptions: { gracePeriodSeconds: 0 } },
      { deleteOptions: { dryRun: ['All'] } },
      { deleteOptions: null },
    ]),
    ...(random.chance(0.4) && { deleteOptions: deleteOptions(random) }),
  }
}

/** Returns a random TokenRequest of a service account. */
export function createRandomTokenRequest(random: Random, metadata: JsonObject): JsonObject {
  return {
    apiVersion: random.pick(['authentication.k8s.io/v1', 'authentication.k8s.io/v1', 'authentication.k8s.io/v1', 'v1']),
    kind: random.pick(['TokenRequest', 'TokenRequest', 'TokenRequest', 'TokenReview']),
    ...(random.chance(0.4) && { metadata }),
    spec: {
      ...random.pick<JsonObject>([
        {},
        { audiences: ['a'] },
        { audiences: [''] },
        { audiences: [] },
        { audiences: ['a', 'a', 'https://x'] },
        { audiences: random.pick(oddAnything) },
      ]),
      ...random.pick<JsonObject>([
        {},
        {},
        { expirationSeconds: 600 },
        { expirationSeconds: 599 },
        { expirationSeconds: 2 ** 32 + 1 },
        { expirationSeconds: random.pick(oddNumbers) },
      ]),
      ...random.pick<JsonObject>([
        {},
        {},
        { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'nope' } },
        { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'nope', uid: 'x' } },
        { boundObjectRef: { kind: 'Node', apiVersion: 'v1', name: 'nope' } },
        { boundObjectRef: { kind: 'ConfigMap', apiVersion: 'v1', name: 'nope' } },
        { boundObjectRef: { name: 'nope' } },
        { boundObjectRef: random.pick(oddAnything) },
        { bogus: 1 },
      ]),
    },
    ...(random.chance(0.1) && { status: { token: 'x' } }),
  }
}
