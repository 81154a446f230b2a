import { afterEach, beforeEach, expect, it } from 'vitest'
import { createDefinition, openControllers } from './controllers.fixture.ts'
import type { TestControllers } from './controllers.fixture.ts'

let test: TestControllers
beforeEach(async () => {
  test = await openControllers()
})
afterEach(async () => {
  await test[Symbol.asyncDispose]()
})
const create = (...args: Parameters<typeof createDefinition>) => test.definitions.create('', createDefinition(...args))
const listConditions = async (name: string): Promise<string[]> =>
  ((await test.definitions.get('', name))?.status?.conditions ?? []).map(({ type, status, reason }) => `${type}=${status} ${reason}`)

it('accepts the names, serves the resource and then sets Established', async () => {
  await create('things.example.com', { shortNames: ['th'], categories: ['all'] })
  expect(await test.condition('things.example.com', 'Established', 'True')).toBe(
    'InitialNamesAccepted: the initial names have been accepted',
  )
  const { status } = (await test.definitions.get('', 'things.example.com'))!
  expect(status).toEqual({
    acceptedNames: { plural: 'things', singular: 'thing', shortNames: ['th'], kind: 'Thing', listKind: 'ThingList', categories: ['all'] },
    conditions: [
      {
        type: 'NamesAccepted',
        status: 'True',
        reason: 'NoConflicts',
        message: 'no conflicts found',
        lastTransitionTime: '2023-11-14T22:13:20Z',
      },
      {
        type: 'Established',
        status: 'True',
        reason: 'InitialNamesAccepted',
        message: 'the initial names have been accepted',
        lastTransitionTime: '2023-11-14T22:13:20Z',
      },
    ],
    storedVersions: ['v1'],
  })
  expect([test.resources.calls, test.errors]).toEqual([['+things.example.com'], []])
})

it('does not serve a definition whose names are in use, and accepts it when the names are free', async () => {
  await create('things.example.com', { shortNames: ['th'] })
  await test.condition('things.example.com', 'Established', 'True')
  await create('others.example.com', { kind: 'Thing' })
  expect(await test.condition('others.example.com', 'NamesAccepted', 'False')).toBe('KindConflict: "Thing" is already in use')
  await create('more.example.com', { shortNames: ['th', 'x', 'things'] })
  expect(await test.condition('more.example.com', 'NamesAccepted', 'False')).toBe(
    'ShortNamesConflict: ["th" is already in use, "things" is already in use]',
  )
  expect(await listConditions('more.example.com')).toEqual(['NamesAccepted=False ShortNamesConflict', 'Established=False NotAccepted'])
  expect(test.resources.calls).toEqual(['+things.example.com'])
  // The same names do not conflict in another group.
  await create('things.example.org', { shortNames: ['th'] })
  await test.condition('things.example.org', 'Established', 'True')

  await test.definitions.delete('', 'things.example.com')
  expect(await test.condition('others.example.com', 'Established', 'True')).toBe(
    'InitialNamesAccepted: the initial names have been accepted',
  )
  await test.condition('more.example.com', 'Established', 'True')
})

it('grants a name to only one of the definitions that are created at the same time', async () => {
  const names = Array.from({ length: 20 }, (_, i) => `t${i}.example.com`)
  await Promise.all(names.map((name) => create(name, { shortNames: ['th'] })))
  const found = await Promise.all(names.map((name) => test.until(name, (definition) => (definition?.status?.conditions ?? []).length > 0)))
  expect(found.filter((definition) => definition?.status?.acceptedNames.shortNames?.includes('th'))).toHaveLength(1)
})

it('delays Established if several servers share the store', async () => {
  await test[Symbol.asyncDispose]()
  test = await openControllers({ establishDelayMs: 5000 })
  await create('things.example.com')
  expect(await test.condition('things.example.com', 'Established', 'False')).toBe('Installing: the initial names have been accepted')
  await test.clock.pass(4999)
  expect(await listConditions('things.example.com')).toContain('Established=False Installing')
  await test.clock.pass(1)
  await test.condition('things.example.com', 'Established', 'True')
})

it('does not establish a definition whose conversion webhook has an invalid CA bundle', async () => {
  const clientConfig = { url: 'https://example.com', caBundle: Buffer.from('no certificate').toString('base64') }
  await create(
    'things.example.com',
    {},
    { conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } } },
  )
  const invalid = 'InvalidCABundle: The conversion webhook CABundle is invalid'
  await test.until('things.example.com', (found) => found?.status?.conditions?.[1]?.reason === 'InvalidCABundle')
  expect(await test.condition('things.example.com', 'Established', 'False')).toBe(invalid)
})

it('reports the API approval of protected groups', async () => {
  const readApproval = async (group: string, value?: string): Promise<string> => {
    const definition = createDefinition(`things.${group}`)
    if (value !== undefined) definition.metadata.annotations = { 'api-approved.kubernetes.io': value, other: 'x' }
    await test.definitions.create('', definition)
    const type = 'KubernetesAPIApprovalPolicyConformant'
    const found = await test.until(
      `things.${group}`,
      (each) => each?.status?.conditions?.some((condition) => condition.type === type) === true,
    )
    const { status, reason, message } = found!.status!.conditions!.find((condition) => condition.type === type)!
    return `${status} ${reason}: ${message}`
  }
  const see = 'see https://github.com/kubernetes/enhancements/pull/1111'
  const must = 'protected groups must have approval annotation "api-approved.kubernetes.io"'
  expect(await readApproval('a.k8s.io', 'https://github.com/kubernetes/pull/1')).toBe(
    'True ApprovedAnnotation: approved in https://github.com/kubernetes/pull/1',
  )
  expect(await readApproval('b.k8s.io', 'unapproved, test')).toBe('False UnapprovedAnnotation: not approved: "unapproved, test"')
  expect(await readApproval('c.kubernetes.io')).toBe(`False MissingAnnotation: ${must}, ${see}`)
  expect(await readApproval('d.k8s.io', '/path')).toBe(
    `False InvalidAnnotation: ${must} with either a URL or a reason starting with "unapproved", ${see}`,
  )
})

it('sets the condition NonStructuralSchema for schemas that are not structural, and removes it when they are', async () => {
  await test[Symbol.asyncDispose]()
  test = await openControllers()
  await create('things.example.com', {}, { preserveUnknownFields: true })
  expect(await test.condition('things.example.com', 'NonStructuralSchema', 'True')).toBe(
    'Violations: spec.preserveUnknownFields: Invalid value: true: must be false',
  )
  await test.definitions.update('', 'things.example.com', (definition) => {
    delete definition.spec.preserveUnknownFields
    return definition
  })
  const listConditionTypes = (found: Awaited<ReturnType<typeof test.until>>) => (found?.status?.conditions ?? []).map(({ type }) => type)
  await test.until('things.example.com', (found) => !listConditionTypes(found).includes('NonStructuralSchema'))
})
