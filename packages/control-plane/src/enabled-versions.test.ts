import { expect, it } from 'vitest'
import { enabledVersions } from './enabled-versions.ts'
import type { GroupToInstall } from './install-apis.ts'

const group = (name: string, ...versions: string[]): GroupToInstall => ({
  name,
  priority: 0,
  versions: versions.map((version) => ({ group: name, version })),
  storage: new Map(),
})
const groups = [group('', 'v1'), group('autoscaling', 'v2', 'v1'), group('storage.k8s.io', 'v1', 'v1beta1')]
const names = (wanted: Record<string, boolean>): string[] =>
  enabledVersions(wanted)(groups).flatMap(({ name, versions }) => versions.map(({ version }) => `${name}/${version}`))

it.each([
  [{}, ['/v1', 'autoscaling/v2', 'autoscaling/v1', 'storage.k8s.io/v1', 'storage.k8s.io/v1beta1']],
  [{ 'autoscaling/v1': false }, ['/v1', 'autoscaling/v2', 'storage.k8s.io/v1', 'storage.k8s.io/v1beta1']],
  [{ 'api/beta': false }, ['/v1', 'autoscaling/v2', 'autoscaling/v1', 'storage.k8s.io/v1']],
  [{ 'api/all': false, 'api/v1': true, 'storage.k8s.io/v1beta1': true }, ['/v1', 'storage.k8s.io/v1beta1']],
])('%j', (wanted, expected) => {
  expect(names(wanted as Record<string, boolean>)).toEqual(expected)
})

it('refuses what is not there', () => {
  expect(() => names({ 'autoscaling/v3': false })).toThrow('unknown api groups or versions: autoscaling/v3')
})
