import type { Token } from './token.ts'

/** A node of the parse tree. After a syntax error, children can be missing. A rule with a single child creates no node. */
export type ParseTree =
  | { readonly kind: 'conditional'; readonly condition: ParseTree; readonly operator: Token; whenTrue?: ParseTree; otherwise?: ParseTree }
  | { readonly kind: 'logic'; readonly operator: '&&' | '||'; readonly terms: ParseTree[]; readonly operators: Token[] }
  | { readonly kind: 'binary'; readonly operator: Token; readonly left: ParseTree; right: ParseTree }
  | { readonly kind: 'unary'; readonly operators: Token[]; operand: ParseTree }
  | { readonly kind: 'select'; readonly operand: ParseTree; readonly dot: Token; optional: boolean; name?: NameTree }
  | { readonly kind: 'method'; readonly operand: ParseTree; readonly name: Token; open: Token; args: ParseTree[] }
  | { readonly kind: 'index'; readonly operand: ParseTree; readonly open: Token; optional: boolean; index: ParseTree }
  | { readonly kind: 'name'; readonly dot: boolean; readonly name: Token; readonly start: number }
  | { readonly kind: 'call'; readonly dot: boolean; readonly name: Token; readonly start: number; readonly open: Token; args: ParseTree[] }
  | { readonly kind: 'list'; readonly open: Token; elements: OptionalTree[] }
  | { readonly kind: 'map'; readonly open: Token; entries: EntryTree[] }
  | {
      readonly kind: 'message'
      readonly dot: boolean
      readonly names: Token[]
      readonly open: Token
      fields: FieldTree[]
      fieldsStart: number
    }
  | { readonly kind: 'literal'; readonly negative: boolean; readonly token: Token; readonly start: number }
  /** A placeholder for a missing node. `expected` is its kind in cel-go's tree, on which some checks depend. */
  | { readonly kind: 'broken'; readonly expected?: 'operand'; readonly start: number }

export interface NameTree {
  readonly start: number
  readonly token: Token | undefined
}

export interface OptionalTree {
  optional: boolean
  value: ParseTree
}

export interface EntryTree {
  readonly key: OptionalTree
  colon?: Token
  value?: ParseTree
}

export interface FieldTree {
  readonly name: NameTree
  readonly optional: boolean
  colon?: Token
  value?: ParseTree
}
