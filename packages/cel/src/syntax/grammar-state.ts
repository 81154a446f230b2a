import type { TokenName } from './token.ts'

/**
 * A state of the grammar: the expected tokens, and whether the rule may end here. If it may end, the tokens after the rule are expected
 * too.
 */
export interface GrammarState {
  readonly expects: ReadonlySet<TokenName>
  readonly ends: boolean
}

function createState(...expects: readonly TokenName[]): GrammarState {
  return { expects: new Set(expects), ends: false }
}

function createLastState(...expects: readonly TokenName[]): GrammarState {
  return { expects: new Set(expects), ends: true }
}

export const literalFirst: readonly TokenName[] = [
  "'-'",
  "'true'",
  "'false'",
  "'null'",
  'NUM_FLOAT',
  'NUM_INT',
  'NUM_UINT',
  'STRING',
  'BYTES',
]
const primaryFirst: readonly TokenName[] = ["'['", "'{'", "'('", "'.'", 'IDENTIFIER', ...literalFirst]
const expressionFirst: readonly TokenName[] = ["'!'", ...primaryFirst]
const names: readonly TokenName[] = ['IDENTIFIER', 'ESC_IDENTIFIER']

export const relationOperators: ReadonlySet<TokenName> = new Set(["'=='", "'!='", "'in'", "'<'", "'<='", "'>='", "'>'"] as const)
export const productOperators: ReadonlySet<TokenName> = new Set(["'*'", "'/'", "'%'"] as const)
export const sumOperators: ReadonlySet<TokenName> = new Set(["'+'", "'-'"] as const)

type StateName =
  | 'end'
  | 'behindEnd'
  | 'condition'
  | 'conditionColon'
  | 'otherwise'
  | 'otherwiseEnd'
  | 'or'
  | 'and'
  | 'relation'
  | 'calc'
  | 'unary'
  | 'nots'
  | 'minuses'
  | 'unaryEnd'
  | 'member'
  | 'selected'
  | 'index'
  | 'indexClose'
  | 'memberArguments'
  | 'memberArgumentsClose'
  | 'primary'
  | 'primaryEnd'
  | 'arguments'
  | 'argumentsClose'
  | 'nestedClose'
  | 'list'
  | 'listComma'
  | 'listClose'
  | 'map'
  | 'mapComma'
  | 'mapClose'
  | 'message'
  | 'messageComma'
  | 'messageClose'
  | 'argumentsComma'
  | 'elementsComma'
  | 'entriesComma'
  | 'entryColon'
  | 'entryValue'
  | 'fieldsComma'
  | 'fieldColon'
  | 'fieldValue'
  | 'field'
  | 'fieldEnd'
  | 'name'
  | 'optional'
  | 'optionalEnd'
  | 'literal'

/**
 * States where an error may be detected or where a rule resumes after a subrule. Recovery compares states by identity, even if they expect
 * the same tokens.
 */
export const states: Readonly<Record<StateName, GrammarState>> = {
  end: createState('<EOF>'),
  behindEnd: createLastState(),
  condition: createLastState("'?'"),
  conditionColon: createState("':'"),
  otherwise: createState(...expressionFirst),
  otherwiseEnd: createLastState(),
  or: createLastState("'||'"),
  and: createLastState("'&&'"),
  relation: createLastState(...relationOperators),
  calc: createLastState(...productOperators, ...sumOperators),
  unary: createState(...expressionFirst),
  nots: createState(...expressionFirst),
  minuses: createState(...primaryFirst),
  unaryEnd: createLastState(),
  member: createLastState("'.'", "'['"),
  selected: createState("'?'", ...names),
  index: createState("'?'", ...expressionFirst),
  indexClose: createState("']'"),
  memberArguments: createState("')'", ...expressionFirst),
  memberArgumentsClose: createState("')'"),
  primary: createState(...primaryFirst),
  primaryEnd: createLastState(),
  arguments: createState("')'", ...expressionFirst),
  argumentsClose: createState("')'"),
  nestedClose: createState("')'"),
  list: createState("'?'", "','", "']'", ...expressionFirst),
  listComma: createState("','", "']'"),
  listClose: createState("']'"),
  map: createState("'?'", "','", "'}'", ...expressionFirst),
  mapComma: createState("','", "'}'"),
  mapClose: createState("'}'"),
  message: createState("'?'", "','", "'}'", ...names),
  messageComma: createState("','", "'}'"),
  messageClose: createState("'}'"),
  argumentsComma: createLastState("','"),
  elementsComma: createLastState("','"),
  entriesComma: createLastState("','"),
  entryColon: createState("':'"),
  entryValue: createState(...expressionFirst),
  fieldsComma: createLastState("','"),
  fieldColon: createState("':'"),
  fieldValue: createState(...expressionFirst),
  field: createState("'?'", ...names),
  fieldEnd: createLastState(),
  name: createState(...names),
  optional: createState("'?'", ...expressionFirst),
  optionalEnd: createLastState(),
  literal: createState(...literalFirst),
}

export const startsExpression: ReadonlySet<TokenName> = new Set(expressionFirst)
export const startsName: ReadonlySet<TokenName> = new Set(names)
