import { parseAst } from 'rolldown/parseAst'

/** A function whose name is not a verb phrase. */
export interface FunctionName {
  readonly line: number
  readonly name: string
  readonly isExported: boolean
}

/** First words of function names. Add a verb if it says what a function does. Nouns such as `key` and `text` are not function names. */
const verbs: ReadonlySet<string> = new Set(
  `
  abandon abort accept accepts access accumulate acquire adapt add adjust admit adopt advance advertise aggregate align allocate allow
  allocates allows annotate answer append applies apply approve archive are ask assemble assert assign assume attach attempt audit authenticate authorize await
  begin belongs bind blank block boot boots bootstrap branch break build bump bury cache calculate call can cancel canonicalize cap capitalize capture
  catch change charge check choose claim classify clean clear clone close coerce collapse collect combine commit compact compare compile
  complain complete compose compress compute concat configure conforms connect connects consider construct consume contain contains
  continue convert copy cork correct count cover covers create cut cycle damage deal decide declare declares decode decorate decrement
  decrypt dedent deduplicate default define delete deliver demote deny depends derive descend describe describes deserialize destroy
  detach detect dial diff differ differs disable discard disconnect discourage discover dispatch dispose divide do does download drain
  draw drop drops dump duplicate edit elide emit emits enable encode encrypt end ends enforce enforces enqueue ensure enter equals escape
  establish estimate evaluate evict exceed exceeds exec execute exists exit expand expect expire explain export extend extract fail
  fails fetch fill filter find finish fits flatten flush fold follow forbid forget format forward free freeze from gather generate get
  give go grant group guard guess hand handle handles has hash have head hold holds identify ignore impersonate import include includes indent
  increase increment index infer inflate inform inherit inherits init initialize inject insert inspect install interpret intersect
  intersects invoke is issue iterate join judge jump keep keeps kill know knows label lacks launch learn leave leaves let lift limit
  list listen load locate lock log look looks lookup loop lower make map mark mask match matches may measure memoize mention mentions merge
  migrate minimize mirror mix mock modify monitor mount move multiply must mutate name narrow needs negate negotiate nest new normalize
  note notify number observe occurs offer omit on open opens order overlap overlaps overwrite owns pack pad parse partition pass passes
  patch pause peek permit permits persist pick pin ping pipe place plan play poll pop populate post precedes predict prefer prefers
  prepare print probe process produce promote propose protect prove provide proxy prune publish pull pump push put qualifies qualify
  query queue quote raise rank reach reaches read reads reallocate rebuild recompute reconcile reconnect reconsider reconstruct record
  recount recover redact redirect reduce refer references refers refill refresh refuse register reject relay release relist reload remap
  remember remove rename render renew repair repeat replace replay reply report request requests require requires reread rescale reserve reset
  resize resolve respond restart restarts restore restrict resume retain rethrow retire retry return reuse reverify reverse revert
  review revoke rewrite roll rotate round route run runs sample sanitize satisfies save scale scan schedule score scrape seal search see seek
  sees select selects send separate separates serialize serve serves set sets settle shadow shape share shares shift shorten should show
  shrink shuffle shut sign signal simulate skip sleep slice sort spawn spend spin splice split spread stamp start starts step stop store
  stream stringify strip submit subscribe subtract suffices suggest sum summarize supply supports surround suspend swallow swap sweep switch
  sync take takes terminate test throw tick tidy to tokenize tolerates touch trace track transform translate traverse trim truncate try
  tunnel   turn unbind unblock unchain uncork uncount undefine undelay undelete undo unescape uninstall union unite unlift unlink unlock unmap
  unpack unparse unquote unserve unsubscribe unwrap update upgrade upload use uses validate vary verify view visit wait waits wake walk
  warm warn was watch weigh widen wipe with withdraw without wrap write writes yield zip
  `
    .trim()
    .split(/\s+/),
)

/** Names that JavaScript or Node call. */
const protocolNames: ReadonlySet<string> = new Set(['main', 'next', 'return', 'then', 'throw'])

/**
 * Finds functions whose names do not start with a verb. Functions are declarations, and constants that hold a function. Ignores parameters
 * and members, because a type gives them their names.
 */
export function findFunctionNames(source: string): readonly FunctionName[] {
  const names: FunctionName[] = []
  const exported = new Set<unknown>()
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    if (Array.isArray(node)) {
      for (const item of node) visit(item)
      return
    }
    const { type, id, init, declaration } = node as SyntaxNode
    if (type === 'ExportNamedDeclaration' && declaration) {
      for (const value of declaration.declarations ?? [declaration]) exported.add(value)
    }
    const isFunction =
      type === 'FunctionDeclaration' || (type === 'VariableDeclarator' && id?.type === 'Identifier' && /Function/.test(init?.type ?? ''))
    if (isFunction && id && !isVerbPhrase(id.name ?? '')) {
      names.push({ line: source.slice(0, id.start).split('\n').length, name: id.name ?? '', isExported: exported.has(node) })
    }
    for (const value of Object.values(node)) visit(value)
  }
  visit(parseAst(source, { lang: 'ts' }))
  return names
}

function isVerbPhrase(name: string): boolean {
  const [first = name, ...others] = name.match(/^[a-z]+|[A-Z]+(?![a-z])|[A-Z][a-z]*|\d+/g) ?? []
  return protocolNames.has(name) || (verbs.has(first) && !(others.length === 1 && others[0] === 'Of'))
}

interface SyntaxNode {
  readonly type?: string
  readonly start: number
  readonly name?: string
  readonly id?: SyntaxNode | null
  readonly init?: SyntaxNode | null
  readonly declaration?: SyntaxNode | null
  readonly declarations?: readonly SyntaxNode[]
}
