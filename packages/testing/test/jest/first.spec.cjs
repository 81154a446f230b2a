/* global cluster -- Set by the environment. */
const maps = () => cluster.resource('configmaps', { namespace: 'default' })
const listNames = async () => (await maps().list()).items.map(({ metadata }) => metadata.name)

beforeAll(async () => {
  await maps().create({ metadata: { name: 'shared' } })
})

let forks = []
beforeEach(() => {
  forks.push(cluster)
})

test('a hook changes the cluster from which tests start', async () => {
  expect(await listNames()).toEqual(['from-options', 'kube-root-ca.crt', 'shared'])
  await maps().create({ metadata: { name: 'first' } })
})

test('a test does not see changes of another test', async () => {
  expect(await listNames()).toEqual(['from-options', 'kube-root-ca.crt', 'shared'])
  expect(new Set(forks).size).toBe(2)
})

test('expect has matchers, and snapshots have no volatile fields', async () => {
  const object = await maps().get('from-options')
  expect(object).toHaveManagedFields('keelson-testing', ['.data.color'])
  expect(() => expect(object).toHaveManagedFields('keelson-testing', ['.data.size'])).toThrow('to own .data.size')
  expect(object).toMatchSnapshot()
})

test.skip('a skipped test starts nothing', () => {})
