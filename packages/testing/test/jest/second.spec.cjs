/* global cluster -- Set by the environment. */
test('a file does not see changes of another file', async () => {
  const { items } = await cluster.resource('configmaps', { namespace: 'default' }).list()
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['from-options', 'kube-root-ca.crt'])
})

test('a test that is to fail', async () => {
  const object = await cluster.resource('configmaps').get('from-options')
  expect(object).toHaveCondition('Ready')
})
