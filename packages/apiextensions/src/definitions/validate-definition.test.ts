import type { CustomResourceDefinition, JSONSchemaProps } from '@keelson/api/apiextensions/v1'
import type { ValidationSteps } from '@keelson/registry'
import { describe, expect, it } from 'vitest'
import { decodeDefinition, createDefinitionWith, refuseNew, refuseUpdate } from './definitions.fixture.ts'
import { validateDefinition } from './validate-definition.ts'

const text: JSONSchemaProps = { type: 'string' }
const subject = 'CustomResourceDefinition.apiextensions.k8s.io "widgets.example.com" is invalid: '
const at = 'spec.validation.openAPIV3Schema.properties[spec]'

const establish = (definition: CustomResourceDefinition): CustomResourceDefinition => ({
  ...definition,
  status: { conditions: [{ type: 'Established', status: 'True' }], acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] },
})

describe('validation of a new definition', () => {
  it('accepts a valid definition', () => expect(refuseNew(createDefinitionWith({ a: text }))).toBeUndefined())

  it.each<[string, Readonly<Record<string, JSONSchemaProps>>, string]>([
    ['an array without items', { a: { type: 'array' } }, `${at}.properties[a].items: Required value: must be specified`],
    ['a field without type', { a: {} }, `${at}.properties[a].type: Required value: must not be empty for specified object fields`],
    [
      'a default in metadata of an embedded object',
      { a: { type: 'object', 'x-kubernetes-embedded-resource': true } },
      `${at}.properties[a].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields`,
    ],
    [
      'keys of a map that may be absent',
      {
        a: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
          items: { type: 'object', properties: { k: text } },
        },
      },
      `${at}.properties[a].items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`,
    ],
    [
      'a type below anyOf',
      { a: { type: 'string', anyOf: [{ type: 'string' }] } },
      `${at}.properties[a].anyOf[0].type: Forbidden: must be empty to be structural`,
    ],
  ])('rejects %s', (_what, properties, message) => {
    expect(refuseNew(createDefinitionWith(properties))).toBe(subject + message)
  })

  it('accepts the pattern of int-or-string', () => {
    const anyOf = [{ type: 'integer' }, { type: 'string' }]
    const properties = { a: { 'x-kubernetes-int-or-string': true, anyOf }, b: { 'x-kubernetes-int-or-string': true, allOf: [{ anyOf }] } }
    expect(refuseNew(createDefinitionWith(properties))).toBeUndefined()
  })

  it("prints the fields of kube-apiserver's internal type in errors", () => {
    const definition = createDefinitionWith({}, { subresources: { status: {} } })
    definition.spec.versions![0]!.schema = { openAPIV3Schema: { type: 'object', maxProperties: 1 } }
    const message = refuseNew(definition)
    expect(message).toContain(
      'spec.validation.openAPIV3Schema: Invalid value: {"ID":"","Schema":"","Ref":null,"Description":"","Type":"object"',
    )
    expect(message).toContain('"MaxProperties":1')
    expect(message).toMatch(
      /: only \[Description Type .* XValidations\] fields are allowed at the root of the schema if the status subresource is enabled$/,
    )
  })

  it('rejects selectable fields that are repeated, quoted or not of a simple type', () => {
    const selectableFields = [{ jsonPath: '.spec.a' }, { jsonPath: '.spec.a' }, { jsonPath: ".spec['a']" }, { jsonPath: '.spec' }]
    expect(refuseNew(createDefinitionWith({ a: text }, { selectableFields }))).toBe(
      `${subject}[spec.selectableFields[1].jsonPath: Duplicate value: ".spec.a", ` +
        `spec.selectableFields[2].jsonPath: Invalid value: ".spec['a']": is an invalid path: array notation is not allowed, ` +
        'spec.selectableFields[3].jsonPath: Invalid value: ".spec": must point to a field of type string, boolean or integer. ' +
        'Enum string fields and strings with formats are allowed.]',
    )
  })
})

describe('validation of an update', () => {
  it('rejects a change of the kind or scope of an established definition', () => {
    const old = createDefinitionWith({ a: text })
    const changed = createDefinitionWith({ a: text })
    changed.spec.scope = 'Cluster'
    expect(refuseUpdate(changed, old)).toBeUndefined()
    expect(refuseUpdate(changed, establish(old))).toBe(`${subject}spec.scope: Invalid value: "Cluster": field is immutable`)
  })

  it('rejects the removal of a version in which objects may be stored', () => {
    const old = establish(createDefinitionWith({ a: text }))
    expect(refuseUpdate(createDefinitionWith({ a: text }, { name: 'v2' }), old)).toContain(
      'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version',
    )
  })

  it('accepts problems that the stored definition already has', () => {
    const absentKeys: JSONSchemaProps = {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { type: 'object', properties: { k: text } },
    }
    const looseSet: JSONSchemaProps = { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'object', properties: { k: text } } }
    for (const schema of [absentKeys, looseSet]) {
      expect(refuseUpdate(createDefinitionWith({ a: schema, b: text }), createDefinitionWith({ b: text }))).toContain(subject)
      expect(refuseUpdate(createDefinitionWith({ a: schema, b: text }), createDefinitionWith({ a: schema }))).toBeUndefined()
    }
  })

  it('requires a valid CA bundle once the definition is established', () => {
    const webhook = { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://a', caBundle: 'aGk=' } }
    const changed = createDefinitionWith({ a: text })
    changed.spec.conversion = { strategy: 'Webhook', webhook }
    const old = createDefinitionWith({ a: text })
    expect(refuseUpdate(changed, old)).toBeUndefined()
    expect(refuseUpdate(changed, establish(old))).toBe(
      `${subject}spec.conversion.webhookClientConfig.caBundle: Invalid value: "aGk=": unable to load root certificates: unable to parse bytes as PEM block`,
    )
    expect(refuseUpdate(changed, establish(changed))).toBeUndefined()
  })
})

describe('validation in steps', () => {
  /** Runs one new step in each call, and repeats the validation until it is complete. */
  function validateStepwise(definition: CustomResourceDefinition): { readonly messages: readonly string[]; readonly steps: number } {
    const results: unknown[] = []
    for (;;) {
      let next = 0
      let isComplete = true
      const steps: ValidationSteps = {
        run<T>(step: () => T): T | undefined {
          if (next < results.length) return results[next++] as T
          if (!isComplete || results.length > next) return undefined
          if (next > calls) return void (isComplete = false)
          results.push(step())
          return results[next++] as T
        },
      }
      const calls = results.length
      const errors = validateDefinition(definition, steps)
      if (isComplete) return { messages: errors.map(({ field }) => field), steps: results.length }
    }
  }

  it('reports the same errors as a validation without pauses', () => {
    const properties = Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`p${i}`, i % 100 === 0 ? {} : text]))
    const definition = decodeDefinition(createDefinitionWith(properties))
    const { messages, steps } = validateStepwise(definition)
    expect(messages).toEqual(validateDefinition(definition).map(({ field }) => field))
    expect(messages.filter((field) => field.startsWith(at))).toHaveLength(6)
    expect(steps).toBeGreaterThan(8)
  })

  it('does not overflow the stack on deep schemas', () => {
    let schema: JSONSchemaProps = text
    for (let i = 0; i < 1500; i++) schema = { type: 'object', properties: { a: schema } }
    const definition = decodeDefinition(createDefinitionWith({}))
    definition.spec.versions![0]!.schema = { openAPIV3Schema: schema }
    definition.status = { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] }
    expect(validateDefinition(definition)).toEqual([])
  })
})
