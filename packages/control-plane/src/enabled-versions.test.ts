import { expect, it } from 'vitest'
import { createResourceFilter, findRuntimeConfigProblems } from './enabled-versions.ts'

const createGroupVersions = (group: string, ...versions: string[]) => versions.map((version) => ({ group, version }))
const allVersions = [
  ...createGroupVersions('', 'v1'),
  ...createGroupVersions('autoscaling', 'v2', 'v1'),
  ...createGroupVersions('storage.k8s.io', 'v1', 'v1beta1', 'v1alpha2'),
]
const listEnabledNames = (runtimeConfig: Record<string, boolean>): string[] =>
  allVersions
    .filter((each) => createResourceFilter(runtimeConfig)({ ...each, resource: 'as' }))
    .map(({ group, version }) => `${group}/${version}`)

it.each([
  [{}, ['/v1', 'autoscaling/v2', 'autoscaling/v1', 'storage.k8s.io/v1']],
  [{ 'autoscaling/v1': false }, ['/v1', 'autoscaling/v2', 'storage.k8s.io/v1']],
  [{ 'api/ga': false, 'api/v1': true }, ['/v1']],
  [{ 'api/beta': true, 'storage.k8s.io/v1': false }, ['/v1', 'autoscaling/v2', 'autoscaling/v1', 'storage.k8s.io/v1beta1']],
  [{ 'api/all': true, 'api/beta': false }, ['/v1', 'autoscaling/v2', 'autoscaling/v1', 'storage.k8s.io/v1', 'storage.k8s.io/v1alpha2']],
  [{ 'storage.k8s.io/v1alpha1': true }, ['/v1', 'autoscaling/v2', 'autoscaling/v1', 'storage.k8s.io/v1']],
  [{ 'api/all': false, 'api/v1': true, 'storage.k8s.io/v1beta1': true }, ['/v1', 'storage.k8s.io/v1beta1']],
])('runtime config %j enables the right versions', (runtimeConfig, expected) => {
  expect(listEnabledNames(runtimeConfig as Record<string, boolean>)).toEqual(expected)
})

it('enables and disables single resources', () => {
  const config = { 'api/all': false, 'storage.k8s.io/v1beta1/as': true, 'api/v1': true, 'v1/as': false }
  const paths = allVersions.flatMap((each) =>
    ['as', 'bs']
      .filter((resource) => createResourceFilter(config)({ ...each, resource }))
      .map((path) => `${each.group}/${each.version}/${path}`),
  )
  expect(paths).toEqual(['/v1/bs', 'storage.k8s.io/v1beta1/as'])
})

it('serves every version of a group without stages, unless it is named', () => {
  const isServed = createResourceFilter({ 'example.com/v1beta1': false, 'api/alpha': false }, (group) => group !== 'example.com')
  const servedVersions = ['v1', 'v1beta1', 'v2alpha1'].filter((version) => isServed({ group: 'example.com', version, resource: 'as' }))
  expect(servedVersions).toEqual(['v1', 'v2alpha1'])
})

it.each([
  ['autoscaling/v3', 'group version autoscaling/v3 that has not been registered'],
  ['example.com/v1', 'unknown api groups example.com/v1'],
  ['a/b/c/d', 'runtime-config invalid key a/b/c/d'],
  ['foo', 'runtime-config invalid key foo'],
])('rejects %s', (key, message) => {
  expect(findRuntimeConfigProblems({ [key]: false }, allVersions)).toEqual([expect.stringContaining(message)])
})

it('rejects a configuration that serves nothing', () => {
  expect(findRuntimeConfigProblems({ 'api/all': false }, allVersions)).toEqual(['invalid runtime-config with only api/all=false'])
})
