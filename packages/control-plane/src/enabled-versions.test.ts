import { expect, it } from 'vitest'
import { enabledVersions } from './enabled-versions.ts'
import { restFacts } from '@keelson/registry'
import type { GroupToInstall } from './install-apis.ts'

const rest = restFacts({ group: '', version: 'v1', kind: 'A' })
const group = (name: string, ...versions: string[]): GroupToInstall => ({
  name,
  priority: 0,
  versions: versions.map((version) => ({ group: name, version })),
  storage: new Map(
    versions.map((version) => [
      version,
      new Map([
        ['as', rest],
        ['as/status', rest],
        ['bs', rest],
      ]),
    ]),
  ),
})
const groups: readonly GroupToInstall[] = [
  group('', 'v1'),
  group('autoscaling', 'v2', 'v1'),
  { ...group('storage.k8s.io', 'v1', 'v1beta1', 'v1alpha2'), retiredVersions: ['v1alpha1'] },
]
const names = (wanted: Record<string, boolean>): string[] =>
  enabledVersions(wanted)(groups).flatMap(({ name, versions }) => versions.map(({ version }) => `${name}/${version}`))

it.each([
  [{}, ['/v1', 'autoscaling/v2', 'autoscaling/v1', 'storage.k8s.io/v1']],
  [{ 'autoscaling/v1': false }, ['/v1', 'autoscaling/v2', 'storage.k8s.io/v1']],
  [{ 'api/ga': false, 'api/v1': true }, ['/v1']],
  [{ 'api/beta': true, 'storage.k8s.io/v1': false }, ['/v1', 'autoscaling/v2', 'autoscaling/v1', 'storage.k8s.io/v1beta1']],
  [{ 'api/all': true, 'api/beta': false }, ['/v1', 'autoscaling/v2', 'autoscaling/v1', 'storage.k8s.io/v1', 'storage.k8s.io/v1alpha2']],
  [{ 'storage.k8s.io/v1alpha1': true }, ['/v1', 'autoscaling/v2', 'autoscaling/v1', 'storage.k8s.io/v1']],
  [{ 'api/all': false, 'api/v1': true, 'storage.k8s.io/v1beta1': true }, ['/v1', 'storage.k8s.io/v1beta1']],
])('%j', (wanted, expected) => {
  expect(names(wanted as Record<string, boolean>)).toEqual(expected)
})

it('switches single resources', () => {
  const paths = (wanted: Record<string, boolean>): string[] =>
    enabledVersions(wanted)(groups).flatMap(({ name, versions, storage }) =>
      versions.flatMap(({ version }) => [...storage.get(version)!.keys()].map((path) => `${name}/${version}/${path}`)),
    )
  const only = { 'api/all': false, 'storage.k8s.io/v1beta1/as': true, 'api/v1': true, 'v1/as': false }
  expect(paths(only)).toEqual(['/v1/bs', 'storage.k8s.io/v1beta1/as', 'storage.k8s.io/v1beta1/as/status'])
})

it.each([
  ['autoscaling/v3', 'group version autoscaling/v3 that has not been registered'],
  ['example.com/v1', 'unknown api groups example.com/v1'],
  ['a/b/c/d', 'runtime-config invalid key a/b/c/d'],
  ['foo', 'runtime-config invalid key foo'],
])('refuses %s', (key, message) => {
  expect(() => names({ [key]: false })).toThrow(message)
})

it('refuses to serve nothing', () => {
  expect(() => names({ 'api/all': false })).toThrow('invalid runtime-config with only api/all=false')
})
