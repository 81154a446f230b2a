import { finishTask } from '@keelson/apimachinery'
import type { Task } from '@keelson/apimachinery'
import { buildRuleEnvironments, Program } from '@keelson/cel'
import type { SchemaType } from '@keelson/cel'
import { compileRuleStepwise } from './compile-rule.ts'
import { parseRuleFieldPath } from '../definitions/json-path.ts'
import { isDeclared, isEmbeddedResource, getItemSchema, listInnermostFirst, SchemaTypes, getValueSchema } from './schema-type.ts'
import type { Rule, Schema } from './schema-type.ts'

/** A rule that is ready to be evaluated. */
export interface ReadyRule {
  readonly rule: Rule
  /** Undefined if the rule is empty or does not compile. */
  readonly program: Program | undefined
  readonly problem: string | undefined
  readonly usesOldSelf: boolean
}

/** The nodes of the schemas within a schema. */
interface RulesBelow {
  readonly properties: readonly (readonly [name: string, node: RuleNode])[]
  /** Node of the values of a map. */
  readonly values: RuleNode | undefined
  readonly items: RuleNode | undefined
}

/** A schema with rules, or with rules in a schema within it. */
export class RuleNode {
  /** The type in the schema; "" if it has none. Error messages print it instead of a value. */
  readonly typeName: string
  /** Undefined if the schema itself has no rules. */
  readonly type: SchemaType | undefined
  readonly below: RulesBelow
  /** Properties that identify an element of a list; undefined if elements have no identity. */
  readonly listKeys: readonly string[] | undefined
  readonly #rules: readonly Rule[]
  /** Compiled rules and message expressions. Each is compiled on first use, because compiling takes much longer than evaluating. */
  readonly #ready: ReadyRule[] = []
  readonly #messages: (Program | undefined)[] = []

  constructor(schema: Schema, type: SchemaType | undefined, below: RulesBelow) {
    this.typeName = schema.type ?? ''
    this.type = type
    this.below = below
    this.listKeys = listKeys(schema)
    this.#rules = (schema['x-kubernetes-validations'] ?? []).map((rule) => normalizeRule(rule, schema))
  }

  /** The number of rules of the schema itself. */
  get size(): number {
    return this.#rules.length
  }

  /** Whether a rule of the schema itself reads `oldSelf`. */
  get usesOldSelf(): boolean {
    return this.#rules.some(({ rule }, i) => rule.includes('oldSelf') && this.rule(i).usesOldSelf)
  }

  isCompiled(index: number): boolean {
    return this.#ready[index] !== undefined
  }

  rule(index: number): ReadyRule {
    return this.#ready[index] ?? finishTask(this.compileRule(index))
  }

  /** Compiles a rule. Yields after each step. */
  *compileRule(index: number): Task<ReadyRule> {
    const rule = this.#rules[index]!
    const {
      rule: compiled,
      problem,
      usesOldSelf,
    } = yield* compileRuleStepwise({ ...rule, messageExpression: '' }, buildRuleEnvironments(this.type!))
    yield
    const program = compiled === undefined ? undefined : new Program(compiled)
    return (this.#ready[index] ??= { rule, program, problem, usesOldSelf })
  }

  isMessageCompiled(index: number): boolean {
    return (this.#rules[index]!.messageExpression ?? '') === '' || index in this.#messages
  }

  /** Compiles the message expression of a rule. Few rules fail, so it is not compiled with the rule. Yields after each step. */
  *compileMessage(index: number): Task<undefined> {
    const { message } = yield* compileRuleStepwise(this.#rules[index]!, buildRuleEnvironments(this.type!))
    yield
    this.#messages[index] = message === undefined ? undefined : new Program(message)
    return undefined
  }

  /** Returns the compiled message expression of a rule; undefined if it has no valid one. */
  message(index: number): Program | undefined {
    return this.#messages[index]
  }
}

/** Returns a rule whose `fieldPath` is written as in validation errors. */
function normalizeRule(rule: Rule, schema: Schema): Rule {
  const { fieldPath, ...rest } = rule
  const path = fieldPath === undefined || fieldPath === '' ? undefined : parseRuleFieldPath(fieldPath, schema)
  return path === undefined || path === '' ? rest : { ...rest, fieldPath: path }
}

/** Builds the nodes of a schema. Returns undefined if it has no rules. Yields after each schema in it. */
export function* buildRuleNodes(schema: Schema, isResourceRoot: boolean): Task<RuleNode | undefined> {
  const nodes = new RuleNodes()
  yield* nodes.build(schema, isResourceRoot)
  return nodes.bySchema.get(schema)
}

/** Builds the nodes of all schemas within the schema of a resource. Schemas without rules have no node. Yields after each schema. */
export function* buildRuleNodesBySchema(root: Schema): Task<ReadonlyMap<Schema, RuleNode>> {
  const nodes = new RuleNodes()
  yield* nodes.build(root, true)
  return nodes.bySchema
}

/** Number of properties that are read in one step. A schema may have tens of thousands. */
const propertiesPerStep = 500

class RuleNodes {
  /** Nodes by their schemas. Schemas without rules have no node. */
  readonly bySchema: Map<Schema, RuleNode> = new Map()
  readonly #types = new SchemaTypes()
  /** Schemas whose values expressions can read. */
  readonly #declared = new Set<Schema>()
  /** Nodes by their content. Equal nodes are shared, so that their rules are compiled once. */
  readonly #nodes = new Map<string, RuleNode>()
  readonly #ids = new Map<RuleNode, number>()

  #child(schema: Schema | undefined): RuleNode | undefined {
    return schema === undefined ? undefined : this.bySchema.get(schema)
  }

  /** Builds the node of a schema from those of the schemas within it. */
  *#build(schema: Schema, isResourceRoot: boolean): Task<RuleNode | undefined> {
    const below: RulesBelow = {
      properties: schema.properties === undefined ? [] : yield* this.#listProperties(schema.properties),
      values: this.#child(getValueSchema(schema)),
      items: this.#child(getItemSchema(schema)),
    }
    const rules = schema['x-kubernetes-validations'] ?? []
    const isEmpty = rules.length === 0 && below.values === undefined && below.items === undefined && below.properties.length === 0
    if (isEmpty || !this.#declared.has(schema)) return undefined
    return this.#shared(schema, rules.length === 0 ? undefined : this.#types.of(schema, isResourceRoot), below)
  }

  *#listProperties(properties: NonNullable<Schema['properties']>): Task<RulesBelow['properties']> {
    const nodes: (readonly [name: string, node: RuleNode])[] = []
    let reads = 0
    for (const name in properties) {
      const node = this.bySchema.get(properties[name]!)
      if (node !== undefined) nodes.push([name, node])
      if (++reads % propertiesPerStep === 0) yield
    }
    return nodes
  }

  #shared(schema: Schema, type: SchemaType | undefined, below: RulesBelow): RuleNode {
    const key = JSON.stringify([
      type === undefined ? undefined : this.#types.getId(type),
      schema.type,
      listKeys(schema),
      schema['x-kubernetes-validations'],
      below.properties.map(([name, node]) => [name, this.#ids.get(node)]),
      below.values === undefined ? undefined : this.#ids.get(below.values),
      below.items === undefined ? undefined : this.#ids.get(below.items),
    ])
    const equalNode = this.#nodes.get(key)
    if (equalNode !== undefined) return equalNode
    const node = new RuleNode(schema, type, below)
    this.#ids.set(node, this.#nodes.size)
    this.#nodes.set(key, node)
    return node
  }

  /** Builds the nodes of all schemas within a schema. Yields after each schema. */
  *build(root: Schema, isResourceRoot: boolean): Task<void> {
    for (const schema of yield* listInnermostFirst(root)) {
      if (isDeclared(schema, (elements) => this.#declared.has(elements))) this.#declared.add(schema)
      const node = yield* this.#build(schema, schema === root ? isResourceRoot : isEmbeddedResource(schema))
      if (node !== undefined) this.bySchema.set(schema, node)
      yield
    }
  }
}

/** Returns the properties that identify an element of a list; undefined if elements have no identity. */
function listKeys(schema: Schema): readonly string[] | undefined {
  const keys = schema.type === 'array' && schema['x-kubernetes-list-type'] === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : []
  return keys.length === 0 ? undefined : keys
}
