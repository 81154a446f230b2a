import type { Deployment } from '@keelson/api/apps/v1'
import type { KubeObject } from '@keelson/apimachinery'
import { expectTypeOf, test } from 'vitest'
import type { KeelsonCluster } from './cluster.ts'

declare const cluster: KeelsonCluster
interface Widget extends KubeObject {
  spec?: { size?: number }
}

test('objects of built-in resources are typed, and other types can be named', () => {
  expectTypeOf(cluster.resource('deployments.apps').get('a')).resolves.toEqualTypeOf<Deployment>()
  expectTypeOf(cluster.resource<Widget>('widgets.example.com').get('a')).resolves.toEqualTypeOf<Widget>()
  expectTypeOf(cluster.resource('gadgets.example.com').get('a')).resolves.toEqualTypeOf<KubeObject>()
  // @ts-expect-error The data of a ConfigMap has texts.
  void cluster.resource('configmaps').create({ metadata: { name: 'a' }, data: { a: 1 } })
})
