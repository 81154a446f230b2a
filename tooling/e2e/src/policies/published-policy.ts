/** An object to create, and the message with which a policy refuses it. */
export type Refusal = readonly [object: object, message: string]

/** The resources that the policies match. */
export type PolicyResource =
  | 'configmaps'
  | 'deployments'
  | 'ingresses'
  | 'persistentvolumeclaims'
  | 'poddisruptionbudgets'
  | 'pods'
  | 'rolebindings'
  | 'services'

interface PublishedRule {
  readonly name: string
  /** Publication of the rule. The expressions here differ, except for short ones. */
  readonly source: string
  readonly resource: PolicyResource
  /** The data of a config map that is the parameter of the policy. */
  readonly param?: Readonly<Record<string, string>>
  /** Labels of the namespace. */
  readonly labels?: Readonly<Record<string, string>>
  readonly variables?: readonly { readonly name: string; readonly expression: string }[]
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[]
}

/** A ValidatingAdmissionPolicy with objects that it must accept and refuse. */
export interface ValidatingRule extends PublishedRule {
  readonly validations: readonly {
    readonly expression: string
    readonly message?: string
    readonly messageExpression?: string
    readonly reason?: string
  }[]
  readonly accepts: readonly object[]
  readonly refuses: readonly Refusal[]
}

/** A MutatingAdmissionPolicy with objects and what it must make of them. */
export interface MutatingRule extends PublishedRule {
  readonly reinvocationPolicy?: string
  readonly mutations: readonly (
    | { readonly patchType: 'ApplyConfiguration'; readonly applyConfiguration: { readonly expression: string } }
    | { readonly patchType: 'JSONPatch'; readonly jsonPatch: { readonly expression: string } }
  )[]
  /** Objects, and a part of the created object. */
  readonly changes: readonly (readonly [object: object, expected: object])[]
  /** Objects that the policy leaves alone: the part must not be in the created object. */
  readonly ignores?: readonly (readonly [object: object, unexpected: object])[]
}

export const image = 'registry.example.com/app:1.2'

/** Creates a pod of one container. */
export function createPod(container: object = {}, spec: object = {}, metadata: object = {}): object {
  return { metadata, spec: { containers: [{ name: 'main', image, ...container }], ...spec } }
}

/** Creates a deployment whose pods have one container. */
export function createDeployment(spec: object = {}, container: object = {}, metadata: object = {}): object {
  const labels = { app: 'a' }
  return {
    metadata,
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image, ...container }] } },
      ...spec,
    },
  }
}
