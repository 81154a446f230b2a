import type { TokenName } from './token.ts'

/**
 * A state of the grammar: the expected tokens, and whether the rule may end here. If it may end, the tokens after the rule are expected
 * too.
 */
export interface GrammarState {
  readonly expects: ReadonlySet<TokenName>
  readonly ends: boolean
}

function state(...expects: readonly TokenName[]): GrammarState {
  return { expects: new Set(expects), ends: false }
}

function last(...expects: readonly TokenName[]): GrammarState {
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
  end: state('<EOF>'),
  behindEnd: last(),
  condition: last("'?'"),
  conditionColon: state("':'"),
  otherwise: state(...expressionFirst),
  otherwiseEnd: last(),
  or: last("'||'"),
  and: last("'&&'"),
  relation: last(...relationOperators),
  calc: last(...productOperators, ...sumOperators),
  unary: state(...expressionFirst),
  nots: state(...expressionFirst),
  minuses: state(...primaryFirst),
  unaryEnd: last(),
  member: last("'.'", "'['"),
  selected: state("'?'", ...names),
  index: state("'?'", ...expressionFirst),
  indexClose: state("']'"),
  memberArguments: state("')'", ...expressionFirst),
  memberArgumentsClose: state("')'"),
  primary: state(...primaryFirst),
  primaryEnd: last(),
  arguments: state("')'", ...expressionFirst),
  argumentsClose: state("')'"),
  nestedClose: state("')'"),
  list: state("'?'", "','", "']'", ...expressionFirst),
  listComma: state("','", "']'"),
  listClose: state("']'"),
  map: state("'?'", "','", "'}'", ...expressionFirst),
  mapComma: state("','", "'}'"),
  mapClose: state("'}'"),
  message: state("'?'", "','", "'}'", ...names),
  messageComma: state("','", "'}'"),
  messageClose: state("'}'"),
  argumentsComma: last("','"),
  elementsComma: last("','"),
  entriesComma: last("','"),
  entryColon: state("':'"),
  entryValue: state(...expressionFirst),
  fieldsComma: last("','"),
  fieldColon: state("':'"),
  fieldValue: state(...expressionFirst),
  field: state("'?'", ...names),
  fieldEnd: last(),
  name: state(...names),
  optional: state("'?'", ...expressionFirst),
  optionalEnd: last(),
  literal: state(...literalFirst),
}

export const startsExpression: ReadonlySet<TokenName> = new Set(expressionFirst)
export const startsName: ReadonlySet<TokenName> = new Set(names)
