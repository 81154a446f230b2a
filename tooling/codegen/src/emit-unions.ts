/** Generates the codec of a union type in apiextensions. The JSON of a union is one of several types. */
export function emitUnionCodec(name: string): string {
  const template = templates[name]
  if (template === undefined) throw new Error(`unknown union ${name}`)
  return template.trimStart()
}

const templates: Readonly<Record<string, string>> = {
  JSONSchemaPropsOrBool: `
function writeJSONSchemaPropsOrBool(w: ProtoWriter, o: types.JSONSchemaPropsOrBool): void {
  if (typeof o === 'object' && o !== null) { const m = w.mark(); writeJSONSchemaProps(w, o); w.close(m, 18) }
  w.bool(o !== false, 8)
}

function readJSONSchemaPropsOrBool(r: ProtoReader, end: number): types.JSONSchemaPropsOrBool {
  let f1 = false
  let f2: types.JSONSchemaProps | undefined
  while (r.pos < end) {
    const t = r.tag()
    switch (t) {
      case 8: f1 = r.bool(); break
      case 18: f2 = readJSONSchemaProps(r, r.open()); break
      default: r.skipField(t)
    }
  }
  r.leave(end)
  return f2 ?? f1
}
`,
  JSONSchemaPropsOrArray: `
function writeJSONSchemaPropsOrArray(w: ProtoWriter, o: types.JSONSchemaPropsOrArray): void {
  if (Array.isArray(o)) for (let i = o.length; i-- > 0; ) { const m = w.mark(); writeJSONSchemaProps(w, o[i]!); w.close(m, 18) }
  else if (o != null) { const m = w.mark(); writeJSONSchemaProps(w, o); w.close(m, 10) }
}

function readJSONSchemaPropsOrArray(r: ProtoReader, end: number): types.JSONSchemaPropsOrArray {
  let f1: types.JSONSchemaProps | undefined
  let f2: types.JSONSchemaProps[] | undefined
  while (r.pos < end) {
    const t = r.tag()
    switch (t) {
      case 10: f1 = readJSONSchemaProps(r, r.open()); break
      case 18: (f2 ??= []).push(readJSONSchemaProps(r, r.open())); break
      default: r.skipField(t)
    }
  }
  r.leave(end)
  return f2 ?? f1 ?? (null as never)
}
`,
  JSONSchemaPropsOrStringArray: `
function writeJSONSchemaPropsOrStringArray(w: ProtoWriter, o: types.JSONSchemaPropsOrStringArray): void {
  if (Array.isArray(o)) w.strs(o, 18)
  else if (o != null) { const m = w.mark(); writeJSONSchemaProps(w, o); w.close(m, 10) }
}

function readJSONSchemaPropsOrStringArray(r: ProtoReader, end: number): types.JSONSchemaPropsOrStringArray {
  let f1: types.JSONSchemaProps | undefined
  let f2: string[] | undefined
  while (r.pos < end) {
    const t = r.tag()
    switch (t) {
      case 10: f1 = readJSONSchemaProps(r, r.open()); break
      case 18: (f2 ??= []).push(r.str()); break
      default: r.skipField(t)
    }
  }
  r.leave(end)
  return f2 ?? f1 ?? (null as never)
}
`,
}
