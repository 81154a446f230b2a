import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
  CustomResourceValidation,
  SelectableField,
} from '@keelson/api/apiextensions/v1'
import type { KubeObject } from '@keelson/apimachinery'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeDefinition, createDefinitionWith } from './definitions.fixture.ts'
import { fromStoredDefinition, setStoredDefaults, toStoredDefinition } from './stored-version.ts'

const createVersion = (name: string): fc.Arbitrary<CustomResourceDefinitionVersion> =>
  fc
    .record(
      {
        subresources: fc.constantFrom<CustomResourceSubresources[]>(
          { status: {} },
          { scale: { specReplicasPath: '.spec.a', statusReplicasPath: '.status.a' } },
        ),
        additionalPrinterColumns: fc.constant<CustomResourceColumnDefinition[]>([{ name: 'A', type: 'string', jsonPath: '.spec.a' }]),
        selectableFields: fc.constantFrom<SelectableField[][]>([{ jsonPath: '.spec.a' }], [{ jsonPath: '.spec.b' }]),
        schema: fc.constantFrom<CustomResourceValidation[]>(
          { openAPIV3Schema: { type: 'object' } },
          { openAPIV3Schema: { type: 'object', description: 'other' } },
        ),
      },
      { requiredKeys: [] },
    )
    .map((parts) => Object.assign({ name, served: true, storage: name === 'v1' }, parts))

const conversion = fc.constantFrom<CustomResourceDefinition['spec']['conversion']>(
  undefined,
  { strategy: 'None' },
  { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig: { service: { namespace: 'a', name: 'b' } } } },
)

describe('the stored version', () => {
  it('keeps every field of a definition', () => {
    fc.assert(
      fc.property(createVersion('v1'), createVersion('v2'), conversion, fc.boolean(), (first, second, converts, isSingle) => {
        const { metadata, spec } = createDefinitionWith({})
        const versions = isSingle ? [first] : [first, second]
        const definition = decodeDefinition({ metadata, spec: { ...spec, versions, ...(converts && { conversion: converts }) } })
        const stored = structuredClone(toStoredDefinition(definition as unknown as KubeObject))
        setStoredDefaults(stored)
        expect(decodeDefinition(fromStoredDefinition(stored))).toEqual(definition)
      }),
    )
  })

  it('stores fields that all versions share only once', () => {
    const shared = { subresources: { status: {} }, additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.a' }] }
    const { metadata, spec } = createDefinitionWith({}, shared)
    const versions = [spec.versions![0]!, { ...spec.versions![0]!, name: 'v2', storage: false, additionalPrinterColumns: [] }]
    const stored = toStoredDefinition(decodeDefinition({ metadata, spec: { ...spec, versions } }))
    expect(stored).toMatchObject({
      spec: {
        version: 'v1',
        subresources: { status: {} },
        validation: { openAPIV3Schema: { type: 'object' } },
        versions: [
          { name: 'v1', served: true, storage: true, additionalPrinterColumns: [{ name: 'A', type: 'string', JSONPath: '.a' }] },
          { name: 'v2', served: true, storage: false },
        ],
        preserveUnknownFields: false,
      },
    })
  })

  it('reads definitions of old servers, which have one version and keep unknown fields', () => {
    const names = { plural: 'widgets', kind: 'Widget' }
    const stored = {
      metadata: { name: 'widgets.example.com' },
      spec: { group: 'example.com', version: 'v1', names },
    } as unknown as KubeObject
    setStoredDefaults(stored)
    expect(fromStoredDefinition(stored)).toMatchObject({
      spec: {
        scope: 'Namespaced',
        names: { singular: 'widget', listKind: 'WidgetList' },
        versions: [{ name: 'v1', served: true, storage: true }],
        conversion: { strategy: 'None' },
        preserveUnknownFields: true,
      },
      status: { storedVersions: ['v1'] },
    })
  })
})
