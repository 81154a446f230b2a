import type { ApiTypes } from '@keelson/api'
import type { ExpressionWarning, Rule, ValidatingAdmissionPolicy } from '@keelson/api/admissionregistration/v1'
import { openAPISchemas } from '@keelson/api/openapi'
import type { KindDocument } from '@keelson/api/openapi'
import { newFieldPath, parseGroupVersion, TimeSlice } from '@keelson/apimachinery'
import type { DeepReadonly, GroupVersionKind, GroupVersionResource } from '@keelson/apimachinery'
import { AdmissionTypeChecker } from '@keelson/cel'
import type { CheckedKind } from '@keelson/cel'
import type { LoopbackClient } from '@keelson/loopback'
import { toPublishedType } from './published-type.ts'
import type { PublishedSchema } from './published-type.ts'

/** kube-apiserver's limit for the number of kinds that one rule of a policy adds. */
const maxKindsPerRule = 10
const prefix = '#/components/schemas/'

/** Checks the types of the expressions in policies. */
export class PolicyTypeChecker {
  readonly #client: Pick<LoopbackClient, 'listServedKinds'>
  readonly #types: ApiTypes

  constructor(client: Pick<LoopbackClient, 'listServedKinds'>, types: ApiTypes) {
    this.#client = client
    this.#types = types
  }

  /** Returns a warning for each expression with wrong types. Expressions are checked for each kind that the policy names. */
  async check(policy: DeepReadonly<ValidatingAdmissionPolicy>): Promise<ExpressionWarning[]> {
    const { validations = [], variables = [], paramKind } = policy.spec ?? {}
    const slice = new TimeSlice()
    const params = paramKind && this.#kind(toKind(paramKind.apiVersion ?? '', paramKind.kind ?? ''))
    const checkers: { readonly gvk: string; readonly checker: AdmissionTypeChecker }[] = []
    for (const gvk of this.#listKinds(policy)) {
      const object = this.#kind(gvk)
      if (object.schema === undefined) continue
      checkers.push({ gvk: describe(gvk), checker: new AdmissionTypeChecker({ object, params, variables }) })
      await slice.pauseIfOver()
    }
    const warnings: ExpressionWarning[] = []
    const check = async (field: string, expression: string): Promise<void> => {
      const problems: string[] = []
      for (const { gvk, checker } of checkers) {
        const problem = checker.check(expression)
        if (problem !== undefined) problems.push(`${gvk}: ${problem}\n`)
        await slice.pauseIfOver()
      }
      if (problems.length > 0) warnings.push({ fieldRef: field, warning: problems.join('\n') })
    }
    for (const [i, { expression, messageExpression = '' }] of validations.entries()) {
      const path = newFieldPath('spec', 'validations').index(i)
      await check(path.child('expression').toString(), expression)
      if (messageExpression !== '') await check(path.child('messageExpression').toString(), messageExpression)
    }
    return warnings
  }

  /** Returns the kinds that the rules of a policy name, sorted. Rules with wildcards name none. */
  #listKinds({ spec }: DeepReadonly<ValidatingAdmissionPolicy>): readonly GroupVersionKind[] {
    const found = new Map<string, GroupVersionKind>()
    for (const rule of spec?.matchConstraints?.resourceRules ?? []) {
      let count = 0
      for (const resource of listNamedResources(rule)) {
        for (const kind of this.#kindsFor(resource)) {
          found.set(describe(kind), kind)
          if (++count === maxKindsPerRule) return sortItems(found)
        }
      }
    }
    return sortItems(found)
  }

  /** Returns the kinds of a resource. As in kube-controller-manager, the name may be singular, and the core group stands for all groups. */
  #kindsFor({ group, version, resource }: GroupVersionResource): readonly GroupVersionKind[] {
    const name = resource.toLowerCase()
    return this.#client
      .listServedKinds()
      .filter((each) => each.version === version && (group === '' || each.group === group))
      .filter((each) => each.resource === name || each.singularName === name)
  }

  #kind(gvk: GroupVersionKind): CheckedKind {
    const { kind } = gvk
    const type = this.#types.kind(gvk)
    if (type === undefined) return { kind, schema: undefined }
    const definitions = new Definitions(this.#types)
    const schema = type.openApi === undefined ? definitions.find(prefix + type.schema.definition) : generate(type.openApi)
    return { kind, schema: schema && toPublishedType(schema, (reference) => definitions.find(reference)) }
  }
}

/** The OpenAPI definitions of built-in types. Definitions of custom resources refer to them, too. */
class Definitions {
  readonly #types: ApiTypes
  readonly #foundByName = new Map<string, PublishedSchema>()

  constructor(types: ApiTypes) {
    this.#types = types
  }

  find(reference: string): PublishedSchema | undefined {
    const name = reference.slice(prefix.length)
    const knownPublishedSchema = this.#foundByName.get(name)
    const struct = knownPublishedSchema === undefined ? this.#types.findSchema(name) : undefined
    if (struct === undefined) return knownPublishedSchema
    for (const [each, schema] of Object.entries(openAPISchemas([struct]))) this.#foundByName.set(each, schema)
    return this.#foundByName.get(name)
  }
}

/** Generates the definition of a custom resource. */
function generate({ definitions }: KindDocument): PublishedSchema | undefined {
  const [create] = definitions.values()
  if (create === undefined) return undefined
  const generator = create(3)
  for (;;) {
    const { done, value } = generator.next()
    if (done === true) return value
  }
}

/** Returns the resources that a rule names. A wildcard for groups or versions stands for none; subresources are left out. */
function listNamedResources({ apiGroups = [], apiVersions = [], resources = [] }: DeepReadonly<Rule>): readonly GroupVersionResource[] {
  if ([...apiGroups, ...apiVersions].some((each) => each.includes('*'))) return []
  const names = resources.filter((resource) => !/[*/]/.test(resource)).toSorted()
  return apiGroups
    .toSorted()
    .flatMap((group) => apiVersions.toSorted().flatMap((version) => names.map((resource) => ({ group, version, resource }))))
}

function sortItems(kinds: ReadonlyMap<string, GroupVersionKind>): readonly GroupVersionKind[] {
  return Array.from(kinds.values()).toSorted(
    (a, b) => compare(a.group, b.group) || compare(a.version, b.version) || compare(a.kind, b.kind),
  )
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Formats a kind like kube-apiserver in warnings: "/v1, Kind=Pod". */
function describe({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}, Kind=${kind}`
}

/** Returns the kind of parameters. The apiVersion was validated, so it has at most one slash. */
function toKind(apiVersion: string, kind: string): GroupVersionKind {
  return { ...parseGroupVersion(apiVersion), kind }
}
