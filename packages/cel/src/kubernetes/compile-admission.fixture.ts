/** An expression, and what the original's compiler says of it. */
export interface AdmissionCase {
  /** Of `params`, `authorizer` and `patch`, those that it may speak of. */
  readonly scope: string
  readonly text: string
  /** The policy's variables before it, and their expressions. */
  readonly variables?: readonly (readonly string[])[]
  readonly problem?: string
  readonly type?: string
}

/** Answers of kube-apiserver 1.36.4's own environment, recorded. */
export const admissionCases: readonly AdmissionCase[] = [
  {
    scope: '',
    text: 'a.',
    problem: "compilation failed: ERROR: <input>:1:3: Syntax error: no viable alternative at input '.'\n | a.\n | ..^",
  },
  {
    scope: '',
    text: '1 +',
    problem:
      "compilation failed: ERROR: <input>:1:4: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | 1 +\n | ...^",
  },
  { scope: '', text: '(1', problem: "compilation failed: ERROR: <input>:1:3: Syntax error: missing ')' at '<EOF>'\n | (1\n | ..^" },
  {
    scope: '',
    text: '"open',
    problem:
      "compilation failed: ERROR: <input>:1:1: Syntax error: token recognition error at: '\"open'\n | \"open\n | ^\nERROR: <input>:1:6: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | \"open\n | .....^",
  },
  {
    scope: '',
    text: 'a & b',
    problem:
      "compilation failed: ERROR: <input>:1:3: Syntax error: token recognition error at: '& '\n | a & b\n | ..^\nERROR: <input>:1:5: Syntax error: extraneous input 'b' expecting <EOF>\n | a & b\n | ....^",
  },
  {
    scope: '',
    text: 'f(1,)',
    problem:
      "compilation failed: ERROR: <input>:1:5: Syntax error: mismatched input ')' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | f(1,)\n | ....^",
  },
  {
    scope: '',
    text: 'object.spec(',
    problem:
      "compilation failed: ERROR: <input>:1:13: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', ')', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | object.spec(\n | ............^",
  },
  {
    scope: '',
    text: '!',
    problem:
      "compilation failed: ERROR: <input>:1:2: Syntax error: extraneous input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | !\n | .^",
  },
  {
    scope: '',
    text: '1 = 2',
    problem:
      "compilation failed: ERROR: <input>:1:3: Syntax error: token recognition error at: '= '\n | 1 = 2\n | ..^\nERROR: <input>:1:5: Syntax error: extraneous input '2' expecting <EOF>\n | 1 = 2\n | ....^",
  },
  {
    scope: '',
    text: 'a b c',
    problem: "compilation failed: ERROR: <input>:1:3: Syntax error: mismatched input 'b' expecting <EOF>\n | a b c\n | ..^",
  },
  {
    scope: '',
    text: '[1, 2',
    problem: "compilation failed: ERROR: <input>:1:6: Syntax error: mismatched input '<EOF>' expecting {']', ','}\n | [1, 2\n | .....^",
  },
  {
    scope: '',
    text: '{1}',
    problem: "compilation failed: ERROR: <input>:1:3: Syntax error: mismatched input '}' expecting ':'\n | {1}\n | ..^",
  },
  {
    scope: '',
    text: 'object.?',
    problem:
      "compilation failed: ERROR: <input>:1:9: Syntax error: mismatched input '<EOF>' expecting {IDENTIFIER, ESC_IDENTIFIER}\n | object.?\n | ........^\nERROR: <input>:1:9: unsupported ident kind\n | object.?\n | ........^",
  },
  { scope: '', text: 'if', problem: 'compilation failed: ERROR: <input>:1:1: reserved identifier: if\n | if\n | ^' },
  {
    scope: '',
    text: '',
    problem:
      "compilation failed: ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  },
  {
    scope: '',
    text: 'object.true',
    problem:
      "compilation failed: ERROR: <input>:1:8: Syntax error: mismatched input 'true' expecting IDENTIFIER\n | object.true\n | .......^",
  },
  {
    scope: '',
    text: 'object.all(x)',
    problem:
      "compilation failed: ERROR: <input>:1:11: undeclared reference to 'all' (in container '')\n | object.all(x)\n | ..........^\nERROR: <input>:1:12: undeclared reference to 'x' (in container '')\n | object.all(x)\n | ...........^",
  },
  {
    scope: '',
    text: 'object.all(1, true)',
    problem: 'compilation failed: ERROR: <input>:1:12: argument must be a simple name\n | object.all(1, true)\n | ...........^',
  },
  {
    scope: '',
    text: 'type(1) == 5',
    problem:
      "compilation failed: ERROR: <input>:1:9: found no matching overload for '_==_' applied to '(type(int), int)'\n | type(1) == 5\n | ........^",
  },
  { scope: '', text: 'request.foo', problem: "compilation failed: ERROR: <input>:1:8: undefined field 'foo'\n | request.foo\n | .......^" },
  {
    scope: '',
    text: 'request{}',
    problem: "compilation failed: ERROR: <input>:1:8: 'kubernetes.AdmissionRequest' is not a type\n | request{}\n | .......^",
  },
  {
    scope: '',
    text: 'variables.foo',
    problem: "compilation failed: ERROR: <input>:1:1: undeclared reference to 'variables' (in container '')\n | variables.foo\n | ^",
  },
  {
    scope: '',
    text: 'variables.foo',
    variables: [['bar', '1']],
    problem: "compilation failed: ERROR: <input>:1:10: undefined field 'foo'\n | variables.foo\n | .........^",
  },
  {
    scope: '',
    text: "variables.foo + 's'",
    variables: [['foo', '1']],
    problem:
      "compilation failed: ERROR: <input>:1:15: found no matching overload for '_+_' applied to '(int, string)'\n | variables.foo + 's'\n | ..............^",
  },
  { scope: '', text: 'namespaceObject.metadata.labels.foo', type: 'string' },
  {
    scope: '',
    text: "'a'.matches('(')",
    problem: "compilation failed: ERROR: <input>:1:13: invalid matches argument\n | 'a'.matches('(')\n | ............^",
  },
  { scope: '', text: "'a'.find('(') == ''", problem: 'program instantiation failed: error parsing regexp: missing closing ): `(`' },
  {
    scope: '',
    text: "duration('x')",
    problem: "compilation failed: ERROR: <input>:1:10: invalid duration argument\n | duration('x')\n | .........^",
  },
  {
    scope: '',
    text: "timestamp('x')",
    problem: "compilation failed: ERROR: <input>:1:11: invalid timestamp argument\n | timestamp('x')\n | ..........^",
  },
  {
    scope: '',
    text: "[1, 'a']",
    problem: "compilation failed: ERROR: <input>:1:5: expected type 'int' but found 'string'\n | [1, 'a']\n | ....^",
  },
  {
    scope: '',
    text: "[1, object, 'a']",
    problem: "compilation failed: ERROR: <input>:1:5: expected type 'int' but found 'dyn'\n | [1, object, 'a']\n | ....^",
  },
  { scope: '', text: "ip('x')", type: 'net.IP' },
  {
    scope: '',
    text: 'request == 1',
    problem:
      "compilation failed: ERROR: <input>:1:9: found no matching overload for '_==_' applied to '(kubernetes.AdmissionRequest, int)'\n | request == 1\n | ........^",
  },
  {
    scope: 'authorizer',
    text: ' ',
    problem:
      "compilation failed: ERROR: <input>:1:2: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n |  \n | .^",
  },
  {
    scope: 'authorizer',
    text: '\n',
    problem:
      "compilation failed: ERROR: <input>:2:1: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | \n | ^",
  },
  {
    scope: 'authorizer',
    text: 'object.`a-b`',
    problem: "compilation failed: ERROR: <input>:1:8: unsupported syntax: '`'\n | object.`a-b`\n | .......^",
  },
  {
    scope: 'authorizer',
    text: 'object.`a`(',
    problem:
      "compilation failed: ERROR: <input>:1:8: unsupported syntax: '`'\n | object.`a`(\n | .......^\nERROR: <input>:1:11: Syntax error: extraneous input '(' expecting <EOF>\n | object.`a`(\n | ..........^",
  },
  {
    scope: 'authorizer',
    text: 'kubernetes.Quantity',
    problem: "compilation failed: ERROR: <input>:1:1: undeclared reference to 'kubernetes' (in container '')\n | kubernetes.Quantity\n | ^",
  },
  { scope: 'authorizer', text: 'net.IP', type: 'type(net.IP)' },
  { scope: 'authorizer', text: 'optional_type', type: 'type(optional_type)' },
  {
    scope: 'authorizer',
    text: "kubernetes.UserInfo{username: 'a', x: 1}",
    problem:
      "compilation failed: ERROR: <input>:1:37: undefined field 'x'\n | kubernetes.UserInfo{username: 'a', x: 1}\n | ....................................^",
  },
  {
    scope: 'authorizer',
    text: 'Object{}',
    problem: "compilation failed: ERROR: <input>:1:7: undeclared reference to 'Object' (in container '')\n | Object{}\n | ......^",
  },
  {
    scope: 'authorizer',
    text: 'format.dns1123Label',
    problem: "compilation failed: ERROR: <input>:1:1: undeclared reference to 'format' (in container '')\n | format.dns1123Label\n | ^",
  },
  { scope: 'authorizer', text: 'type', type: 'type(type)' },
  { scope: 'authorizer', text: 'list', type: 'type(list(dyn))' },
  { scope: 'authorizer', text: 'map', type: 'type(map(dyn, dyn))' },
  {
    scope: 'authorizer',
    text: 'dyn',
    problem: "compilation failed: ERROR: <input>:1:1: undeclared reference to 'dyn' (in container '')\n | dyn\n | ^",
  },
  {
    scope: 'authorizer',
    text: 'error',
    problem: "compilation failed: ERROR: <input>:1:1: undeclared reference to 'error' (in container '')\n | error\n | ^",
  },
  { scope: 'authorizer', text: 'list == type([1])', type: 'bool' },
  { scope: 'authorizer', text: "authorizer.requestResource.check('a').allowed()", type: 'bool' },
  {
    scope: 'authorizer',
    text: 'authorizer.foo',
    problem:
      "compilation failed: ERROR: <input>:1:11: unexpected failed resolution of 'kubernetes.authorization.Authorizer'\n | authorizer.foo\n | ..........^",
  },
  { scope: 'authorizer', text: '.object.a', type: 'dyn' },
  {
    scope: 'authorizer',
    text: '.1 + 1',
    problem: "compilation failed: ERROR: <input>:1:4: found no matching overload for '_+_' applied to '(double, int)'\n | .1 + 1\n | ...^",
  },
  {
    scope: 'authorizer',
    text: 'cel.bind(x,1,x)',
    problem:
      "compilation failed: ERROR: <input>:1:1: undeclared reference to 'cel' (in container '')\n | cel.bind(x,1,x)\n | ^\nERROR: <input>:1:9: undeclared reference to 'bind' (in container '')\n | cel.bind(x,1,x)\n | ........^\nERROR: <input>:1:10: undeclared reference to 'x' (in container '')\n | cel.bind(x,1,x)\n | .........^\nERROR: <input>:1:14: undeclared reference to 'x' (in container '')\n | cel.bind(x,1,x)\n | .............^",
  },
  {
    scope: 'authorizer',
    text: '😀 + 1',
    problem:
      "compilation failed: ERROR: <input>:1:1: Syntax error: token recognition error at: '😀'\n | 😀 + 1\n | ＾\nERROR: <input>:1:3: Syntax error: extraneous input '+' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | 😀 + 1\n | ．.^",
  },
  {
    scope: 'authorizer',
    text: "'😀' + 1",
    problem:
      "compilation failed: ERROR: <input>:1:5: found no matching overload for '_+_' applied to '(string, int)'\n | '😀' + 1\n | .．..^",
  },
  {
    scope: 'authorizer',
    text: "'é' + 1\n + \t2.foo",
    problem:
      "compilation failed: ERROR: <input>:1:5: found no matching overload for '_+_' applied to '(string, int)'\n | 'é' + 1\n | .．..^\nERROR: <input>:2:6: type 'int' does not support field selection\n |  +  2.foo\n | .....^",
  },
  { scope: 'authorizer', text: '[1,2].sortBy(x, x)', type: 'list(int)' },
  {
    scope: 'authorizer',
    text: "{'a': 1, 'b': 'c'}",
    problem: "compilation failed: ERROR: <input>:1:15: expected type 'int' but found 'string'\n | {'a': 1, 'b': 'c'}\n | ..............^",
  },
  {
    scope: 'authorizer',
    text: "{'a': 1, 2: 'c'}",
    problem:
      "compilation failed: ERROR: <input>:1:10: expected type 'string' but found 'int'\n | {'a': 1, 2: 'c'}\n | .........^\nERROR: <input>:1:13: expected type 'int' but found 'string'\n | {'a': 1, 2: 'c'}\n | ............^",
  },
  {
    scope: 'authorizer',
    text: 'request.name.foo',
    problem:
      "compilation failed: ERROR: <input>:1:13: type 'string' does not support field selection\n | request.name.foo\n | ............^",
  },
  {
    scope: 'authorizer',
    text: '1.foo',
    problem: "compilation failed: ERROR: <input>:1:2: type 'int' does not support field selection\n | 1.foo\n | .^",
  },
  { scope: 'authorizer', text: 'has(object.a)', type: 'bool' },
  {
    scope: 'authorizer',
    text: 'has(object)',
    problem: 'compilation failed: ERROR: <input>:1:5: invalid argument to has() macro\n | has(object)\n | ....^',
  },
  {
    scope: 'authorizer',
    text: 'has(object.a[0])',
    problem: 'compilation failed: ERROR: <input>:1:13: invalid argument to has() macro\n | has(object.a[0])\n | ............^',
  },
  {
    scope: 'authorizer',
    text: 'object.map(x)',
    problem:
      "compilation failed: ERROR: <input>:1:11: undeclared reference to 'map' (in container '')\n | object.map(x)\n | ..........^\nERROR: <input>:1:12: undeclared reference to 'x' (in container '')\n | object.map(x)\n | ...........^",
  },
  {
    scope: 'authorizer',
    text: '[1].map(x, y, z, 2)',
    problem:
      "compilation failed: ERROR: <input>:1:8: undeclared reference to 'map' (in container '')\n | [1].map(x, y, z, 2)\n | .......^\nERROR: <input>:1:9: undeclared reference to 'x' (in container '')\n | [1].map(x, y, z, 2)\n | ........^\nERROR: <input>:1:12: undeclared reference to 'y' (in container '')\n | [1].map(x, y, z, 2)\n | ...........^\nERROR: <input>:1:15: undeclared reference to 'z' (in container '')\n | [1].map(x, y, z, 2)\n | ..............^",
  },
  { scope: 'authorizer', text: '[].all(i, j, i == j)', type: 'bool' },
  {
    scope: 'authorizer',
    text: 'request.all(i, true)',
    problem:
      "compilation failed: ERROR: <input>:1:1: expression of type 'kubernetes.AdmissionRequest' cannot be range of a comprehension (must be list, map, or dynamic)\n | request.all(i, true)\n | ^",
  },
  {
    scope: 'authorizer',
    text: '1.all(x,true)',
    problem:
      "compilation failed: ERROR: <input>:1:1: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)\n | 1.all(x,true)\n | ^",
  },
  {
    scope: 'authorizer',
    text: "{?'a': 1}",
    problem: "compilation failed: ERROR: <input>:1:8: expected type 'optional_type(int)' but found 'int'\n | {?'a': 1}\n | .......^",
  },
  {
    scope: 'authorizer',
    text: '[?1]',
    problem: "compilation failed: ERROR: <input>:1:3: expected type 'optional_type(int)' but found 'int'\n | [?1]\n | ..^",
  },
  { scope: 'authorizer', text: '[?optional.of(1)]', type: 'list(int)' },
  { scope: 'authorizer', text: 'object.?a.b.c', type: 'optional_type(dyn)' },
  {
    scope: 'authorizer',
    text: 'request.?name.orValue(1)',
    problem:
      "compilation failed: ERROR: <input>:1:22: found no matching overload for 'orValue' applied to 'optional_type(string).(int)'\n | request.?name.orValue(1)\n | .....................^",
  },
  { scope: 'authorizer', text: "'x' in {'x': 1}", type: 'bool' },
  {
    scope: 'authorizer',
    text: "1 in ['a']",
    problem:
      "compilation failed: ERROR: <input>:1:3: found no matching overload for '@in' applied to '(int, list(string))'\n | 1 in ['a']\n | ..^",
  },
  {
    scope: 'authorizer',
    text: "quantity('1') > quantity('2')",
    problem:
      "compilation failed: ERROR: <input>:1:15: found no matching overload for '_>_' applied to '(kubernetes.Quantity, kubernetes.Quantity)'\n | quantity('1') > quantity('2')\n | ..............^",
  },
  {
    scope: 'authorizer',
    text: 'x.y.z(1)',
    problem:
      "compilation failed: ERROR: <input>:1:1: undeclared reference to 'x' (in container '')\n | x.y.z(1)\n | ^\nERROR: <input>:1:6: undeclared reference to 'z' (in container '')\n | x.y.z(1)\n | .....^",
  },
  {
    scope: 'authorizer',
    text: 'a.b{c: 1}',
    problem: "compilation failed: ERROR: <input>:1:4: undeclared reference to 'a.b' (in container '')\n | a.b{c: 1}\n | ...^",
  },
  { scope: 'authorizer', text: '{}.a', type: 'dyn' },
  { scope: 'authorizer', text: '[][0].b', type: 'dyn' },
  {
    scope: 'authorizer',
    text: "true ? 1 : 'a'",
    problem:
      "compilation failed: ERROR: <input>:1:6: found no matching overload for '_?_:_' applied to '(bool, int, string)'\n | true ? 1 : 'a'\n | .....^",
  },
  { scope: 'authorizer', text: 'true ? object : 1', type: 'dyn' },
  {
    scope: 'authorizer',
    text: '1 + 1u',
    problem: "compilation failed: ERROR: <input>:1:3: found no matching overload for '_+_' applied to '(int, uint)'\n | 1 + 1u\n | ..^",
  },
  { scope: 'authorizer', text: '1 < 1u', type: 'bool' },
  {
    scope: 'authorizer',
    text: "1 < 'a'",
    problem: "compilation failed: ERROR: <input>:1:3: found no matching overload for '_<_' applied to '(int, string)'\n | 1 < 'a'\n | ..^",
  },
  {
    scope: 'authorizer',
    text: "-'a'",
    problem: "compilation failed: ERROR: <input>:1:1: found no matching overload for '-_' applied to '(string)'\n | -'a'\n | ^",
  },
  {
    scope: 'authorizer',
    text: '!1',
    problem: "compilation failed: ERROR: <input>:1:1: found no matching overload for '!_' applied to '(int)'\n | !1\n | ^",
  },
  {
    scope: 'authorizer',
    text: '1 && true',
    problem: "compilation failed: ERROR: <input>:1:1: expected type 'bool' but found 'int'\n | 1 && true\n | ^",
  },
  {
    scope: 'authorizer',
    text: "'a' || 1 || 'b'",
    problem:
      "compilation failed: ERROR: <input>:1:1: expected type 'bool' but found 'string'\n | 'a' || 1 || 'b'\n | ^\nERROR: <input>:1:8: expected type 'bool' but found 'int'\n | 'a' || 1 || 'b'\n | .......^\nERROR: <input>:1:13: expected type 'bool' but found 'string'\n | 'a' || 1 || 'b'\n | ............^",
  },
  {
    scope: 'authorizer',
    text: 'null == 1',
    problem:
      "compilation failed: ERROR: <input>:1:6: found no matching overload for '_==_' applied to '(null, int)'\n | null == 1\n | .....^",
  },
  { scope: 'authorizer', text: 'null == request', type: 'bool' },
  {
    scope: 'authorizer',
    text: 'timestamp(1) - timestamp(2) == 1',
    problem:
      "compilation failed: ERROR: <input>:1:29: found no matching overload for '_==_' applied to '(duration, int)'\n | timestamp(1) - timestamp(2) == 1\n | ............................^",
  },
  {
    scope: 'authorizer',
    text: "'\\q'",
    problem:
      "compilation failed: ERROR: <input>:1:1: Syntax error: token recognition error at: ''\\q'\n | '\\q'\n | ^\nERROR: <input>:1:4: Syntax error: token recognition error at: '''\n | '\\q'\n | ...^\nERROR: <input>:1:5: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | '\\q'\n | ....^",
  },
  {
    scope: 'authorizer',
    text: "b'\\u1234'",
    problem: "compilation failed: ERROR: <input>:1:1: unable to unescape string\n | b'\\u1234'\n | ^",
  },
  {
    scope: 'authorizer',
    text: '9223372036854775808',
    problem: 'compilation failed: ERROR: <input>:1:1: invalid int literal\n | 9223372036854775808\n | ^',
  },
  { scope: 'authorizer', text: '-9223372036854775808', type: 'int' },
  {
    scope: 'authorizer',
    text: '0xFFFFFFFFFFFFFFFFFu',
    problem: 'compilation failed: ERROR: <input>:1:1: invalid uint literal\n | 0xFFFFFFFFFFFFFFFFFu\n | ^',
  },
  { scope: 'authorizer', text: '1e999', problem: 'compilation failed: ERROR: <input>:1:1: invalid double literal\n | 1e999\n | ^' },
  {
    scope: 'authorizer',
    text: "'''a\nb''' + 1",
    problem:
      "compilation failed: ERROR: <input>:2:6: found no matching overload for '_+_' applied to '(string, int)'\n | b''' + 1\n | .....^",
  },
  {
    scope: 'authorizer',
    text: "r'\\d' + 1",
    problem:
      "compilation failed: ERROR: <input>:1:7: found no matching overload for '_+_' applied to '(string, int)'\n | r'\\d' + 1\n | ......^",
  },
  {
    scope: 'authorizer',
    text: '"a\\x4"',
    problem:
      "compilation failed: ERROR: <input>:1:1: Syntax error: token recognition error at: '\"a\\x4\"'\n | \"a\\x4\"\n | ^\nERROR: <input>:1:7: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | \"a\\x4\"\n | ......^",
  },
  {
    scope: 'authorizer',
    text: "'\\400'",
    problem:
      "compilation failed: ERROR: <input>:1:1: Syntax error: token recognition error at: ''\\4'\n | '\\400'\n | ^\nERROR: <input>:1:6: Syntax error: token recognition error at: '''\n | '\\400'\n | .....^",
  },
  {
    scope: 'authorizer',
    text: "'\\ud800'",
    problem: "compilation failed: ERROR: <input>:1:1: invalid unicode code point\n | '\\ud800'\n | ^",
  },
  {
    scope: 'authorizer',
    text: 'object.in',
    problem:
      "compilation failed: ERROR: <input>:1:8: Syntax error: no viable alternative at input '.in'\n | object.in\n | .......^\nERROR: <input>:1:10: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | object.in\n | .........^",
  },
  { scope: 'authorizer', text: 'object.if.as', type: 'dyn' },
  {
    scope: 'authorizer',
    text: 'in',
    problem:
      "compilation failed: ERROR: <input>:1:1: Syntax error: mismatched input 'in' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | in\n | ^\nERROR: <input>:1:3: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | in\n | ..^",
  },
  {
    scope: 'authorizer',
    text: 'a in',
    problem:
      "compilation failed: ERROR: <input>:1:5: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | a in\n | ....^",
  },
  {
    scope: 'authorizer',
    text: '[1,,2]',
    problem: "compilation failed: ERROR: <input>:1:4: Syntax error: mismatched input ',' expecting ']'\n | [1,,2]\n | ...^",
  },
  { scope: 'authorizer', text: '[,]', type: 'list(dyn)' },
  { scope: 'authorizer', text: '{,}', type: 'map(dyn, dyn)' },
  {
    scope: 'authorizer',
    text: 'A{,}',
    problem: "compilation failed: ERROR: <input>:1:2: undeclared reference to 'A' (in container '')\n | A{,}\n | .^",
  },
  {
    scope: 'authorizer',
    text: 'f(,)',
    problem:
      "compilation failed: ERROR: <input>:1:3: Syntax error: extraneous input ',' expecting {'[', '{', '(', ')', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | f(,)\n | ..^",
  },
  {
    scope: 'authorizer',
    text: '1 + + 2',
    problem:
      "compilation failed: ERROR: <input>:1:5: Syntax error: extraneous input '+' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | 1 + + 2\n | ....^",
  },
  {
    scope: 'authorizer',
    text: '1 ++ 2',
    problem:
      "compilation failed: ERROR: <input>:1:4: Syntax error: extraneous input '+' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | 1 ++ 2\n | ...^",
  },
  {
    scope: 'authorizer',
    text: 'a ? b',
    problem: "compilation failed: ERROR: <input>:1:6: Syntax error: mismatched input '<EOF>' expecting ':'\n | a ? b\n | .....^",
  },
  {
    scope: 'authorizer',
    text: 'a ? b : ',
    problem:
      "compilation failed: ERROR: <input>:1:9: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | a ? b : \n | ........^",
  },
  {
    scope: 'authorizer',
    text: 'a : b',
    problem: "compilation failed: ERROR: <input>:1:3: Syntax error: mismatched input ':' expecting <EOF>\n | a : b\n | ..^",
  },
  {
    scope: 'authorizer',
    text: '? a',
    problem:
      "compilation failed: ERROR: <input>:1:1: Syntax error: extraneous input '?' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | ? a\n | ^",
  },
  {
    scope: 'authorizer',
    text: '-- )',
    problem:
      "compilation failed: ERROR: <input>:1:4: Syntax error: no viable alternative at input '- )'\n | -- )\n | ...^\nERROR: <input>:1:4: Syntax error: mismatched input ')' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | -- )\n | ...^",
  },
  {
    scope: 'authorizer',
    text: '- )',
    problem:
      "compilation failed: ERROR: <input>:1:3: Syntax error: no viable alternative at input '- )'\n | - )\n | ..^\nERROR: <input>:1:3: Syntax error: mismatched input ')' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | - )\n | ..^",
  },
  { scope: 'authorizer', text: '--5', type: 'int' },
  { scope: 'authorizer', text: '-5', type: 'int' },
  { scope: 'authorizer', text: '- 5', type: 'int' },
  {
    scope: 'authorizer',
    text: '!-a',
    problem: "compilation failed: ERROR: <input>:1:3: Syntax error: no viable alternative at input '-a'\n | !-a\n | ..^",
  },
  {
    scope: 'authorizer',
    text: '-',
    problem:
      "compilation failed: ERROR: <input>:1:2: Syntax error: no viable alternative at input '-'\n | -\n | .^\nERROR: <input>:1:2: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | -\n | .^",
  },
  {
    scope: 'authorizer',
    text: 'a.b.(c)',
    problem: "compilation failed: ERROR: <input>:1:5: Syntax error: no viable alternative at input '.('\n | a.b.(c)\n | ....^",
  },
  {
    scope: 'authorizer',
    text: 'a.1',
    problem: "compilation failed: ERROR: <input>:1:2: Syntax error: extraneous input '.1' expecting <EOF>\n | a.1\n | .^",
  },
  {
    scope: 'authorizer',
    text: "a.'x'",
    problem: "compilation failed: ERROR: <input>:1:3: Syntax error: no viable alternative at input '.'x''\n | a.'x'\n | ..^",
  },
  {
    scope: 'authorizer',
    text: 'a[1',
    problem: "compilation failed: ERROR: <input>:1:4: Syntax error: missing ']' at '<EOF>'\n | a[1\n | ...^",
  },
  {
    scope: 'authorizer',
    text: 'a[]',
    problem:
      "compilation failed: ERROR: <input>:1:3: Syntax error: mismatched input ']' expecting {'[', '{', '(', '.', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | a[]\n | ..^",
  },
  {
    scope: 'authorizer',
    text: 'a[1,2]',
    problem: "compilation failed: ERROR: <input>:1:4: Syntax error: mismatched input ',' expecting ']'\n | a[1,2]\n | ...^",
  },
  {
    scope: 'authorizer',
    text: 'f(1 2)',
    problem: "compilation failed: ERROR: <input>:1:5: Syntax error: extraneous input '2' expecting ')'\n | f(1 2)\n | ....^",
  },
  {
    scope: 'authorizer',
    text: 'f(1',
    problem: "compilation failed: ERROR: <input>:1:4: Syntax error: missing ')' at '<EOF>'\n | f(1\n | ...^",
  },
  {
    scope: 'authorizer',
    text: '{1:2',
    problem: "compilation failed: ERROR: <input>:1:5: Syntax error: mismatched input '<EOF>' expecting {'}', ','}\n | {1:2\n | ....^",
  },
  {
    scope: 'authorizer',
    text: '{1:2,3}',
    problem: "compilation failed: ERROR: <input>:1:7: Syntax error: mismatched input '}' expecting ':'\n | {1:2,3}\n | ......^",
  },
  {
    scope: 'authorizer',
    text: '{1 2}',
    problem: "compilation failed: ERROR: <input>:1:4: Syntax error: missing ':' at '2'\n | {1 2}\n | ...^",
  },
  {
    scope: 'authorizer',
    text: 'A{b 1}',
    problem: "compilation failed: ERROR: <input>:1:5: Syntax error: missing ':' at '1'\n | A{b 1}\n | ....^",
  },
  {
    scope: 'authorizer',
    text: 'A{b: }',
    problem:
      "compilation failed: ERROR: <input>:1:6: Syntax error: mismatched input '}' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | A{b: }\n | .....^",
  },
  {
    scope: 'authorizer',
    text: 'A{1: 2}',
    problem:
      "compilation failed: ERROR: <input>:1:3: Syntax error: mismatched input '1' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}\n | A{1: 2}\n | ..^",
  },
  {
    scope: 'authorizer',
    text: 'A{b: 1 c: 2}',
    problem:
      "compilation failed: ERROR: <input>:1:8: Syntax error: mismatched input 'c' expecting {'}', ','}\n | A{b: 1 c: 2}\n | .......^",
  },
  {
    scope: 'authorizer',
    text: '(1',
    problem: "compilation failed: ERROR: <input>:1:3: Syntax error: missing ')' at '<EOF>'\n | (1\n | ..^",
  },
  {
    scope: 'authorizer',
    text: '1)',
    problem: "compilation failed: ERROR: <input>:1:2: Syntax error: extraneous input ')' expecting <EOF>\n | 1)\n | .^",
  },
  {
    scope: 'authorizer',
    text: '()',
    problem:
      "compilation failed: ERROR: <input>:1:2: Syntax error: mismatched input ')' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | ()\n | .^",
  },
  {
    scope: 'authorizer',
    text: '(1 2)',
    problem: "compilation failed: ERROR: <input>:1:4: Syntax error: extraneous input '2' expecting ')'\n | (1 2)\n | ...^",
  },
  {
    scope: 'authorizer',
    text: 'a b',
    problem: "compilation failed: ERROR: <input>:1:3: Syntax error: extraneous input 'b' expecting <EOF>\n | a b\n | ..^",
  },
  {
    scope: 'authorizer',
    text: "a 'b'",
    problem: "compilation failed: ERROR: <input>:1:3: Syntax error: extraneous input ''b'' expecting <EOF>\n | a 'b'\n | ..^",
  },
  {
    scope: 'authorizer',
    text: 'a # b',
    problem:
      "compilation failed: ERROR: <input>:1:3: Syntax error: token recognition error at: '#'\n | a # b\n | ..^\nERROR: <input>:1:5: Syntax error: extraneous input 'b' expecting <EOF>\n | a # b\n | ....^",
  },
  {
    scope: 'authorizer',
    text: '#',
    problem:
      "compilation failed: ERROR: <input>:1:1: Syntax error: token recognition error at: '#'\n | #\n | ^\nERROR: <input>:1:2: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | #\n | .^",
  },
  {
    scope: 'authorizer',
    text: 'a == = b',
    problem: "compilation failed: ERROR: <input>:1:6: Syntax error: token recognition error at: '= '\n | a == = b\n | .....^",
  },
  {
    scope: 'authorizer',
    text: 'a === b',
    problem: "compilation failed: ERROR: <input>:1:5: Syntax error: token recognition error at: '= '\n | a === b\n | ....^",
  },
  {
    scope: 'authorizer',
    text: 'a & b & c',
    problem:
      "compilation failed: ERROR: <input>:1:3: Syntax error: token recognition error at: '& '\n | a & b & c\n | ..^\nERROR: <input>:1:5: Syntax error: mismatched input 'b' expecting <EOF>\n | a & b & c\n | ....^\nERROR: <input>:1:7: Syntax error: token recognition error at: '& '\n | a & b & c\n | ......^",
  },
  {
    scope: 'authorizer',
    text: 'a | b',
    problem:
      "compilation failed: ERROR: <input>:1:3: Syntax error: token recognition error at: '| '\n | a | b\n | ..^\nERROR: <input>:1:5: Syntax error: extraneous input 'b' expecting <EOF>\n | a | b\n | ....^",
  },
  {
    scope: 'authorizer',
    text: 'a ; b',
    problem:
      "compilation failed: ERROR: <input>:1:3: Syntax error: token recognition error at: ';'\n | a ; b\n | ..^\nERROR: <input>:1:5: Syntax error: extraneous input 'b' expecting <EOF>\n | a ; b\n | ....^",
  },
  {
    scope: 'authorizer',
    text: '@x',
    problem: "compilation failed: ERROR: <input>:1:1: Syntax error: token recognition error at: '@'\n | @x\n | ^",
  },
  {
    scope: 'authorizer',
    text: '$x',
    problem: "compilation failed: ERROR: <input>:1:1: Syntax error: token recognition error at: '$'\n | $x\n | ^",
  },
  {
    scope: 'authorizer',
    text: 'a.`b',
    problem:
      "compilation failed: ERROR: <input>:1:3: Syntax error: token recognition error at: '`b'\n | a.`b\n | ..^\nERROR: <input>:1:5: Syntax error: no viable alternative at input '.'\n | a.`b\n | ....^",
  },
  {
    scope: 'authorizer',
    text: '`a`',
    problem:
      "compilation failed: ERROR: <input>:1:1: Syntax error: mismatched input '`a`' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | `a`\n | ^",
  },
  {
    scope: 'authorizer',
    text: "'a",
    problem:
      "compilation failed: ERROR: <input>:1:1: Syntax error: token recognition error at: ''a'\n | 'a\n | ^\nERROR: <input>:1:3: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | 'a\n | ..^",
  },
  {
    scope: 'authorizer',
    text: '"a\nb"',
    problem:
      'compilation failed: ERROR: <input>:1:1: Syntax error: token recognition error at: \'"a\n\'\n | "a\n | ^\nERROR: <input>:2:2: Syntax error: token recognition error at: \'"\'\n | b"\n | .^',
  },
  {
    scope: 'authorizer',
    text: 'a // c',
    problem: "compilation failed: ERROR: <input>:1:1: undeclared reference to 'a' (in container '')\n | a // c\n | ^",
  },
  {
    scope: 'authorizer',
    text: 'a /* c */',
    problem:
      "compilation failed: ERROR: <input>:1:4: Syntax error: extraneous input '*' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | a /* c */\n | ...^\nERROR: <input>:1:9: Syntax error: mismatched input '/' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | a /* c */\n | ........^\nERROR: <input>:1:10: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | a /* c */\n | .........^",
  },
  {
    scope: 'authorizer',
    text: 'a.b.c d',
    problem: "compilation failed: ERROR: <input>:1:7: Syntax error: extraneous input 'd' expecting <EOF>\n | a.b.c d\n | ......^",
  },
  {
    scope: 'authorizer',
    text: 'a.b(c d)',
    problem: "compilation failed: ERROR: <input>:1:7: Syntax error: extraneous input 'd' expecting ')'\n | a.b(c d)\n | ......^",
  },
  {
    scope: 'authorizer',
    text: 'a.b(c,)',
    problem:
      "compilation failed: ERROR: <input>:1:7: Syntax error: mismatched input ')' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | a.b(c,)\n | ......^",
  },
  {
    scope: 'authorizer',
    text: '[a b]',
    problem: "compilation failed: ERROR: <input>:1:4: Syntax error: extraneous input 'b' expecting {']', ','}\n | [a b]\n | ...^",
  },
  {
    scope: 'authorizer',
    text: 'a or b',
    problem: "compilation failed: ERROR: <input>:1:3: Syntax error: mismatched input 'or' expecting <EOF>\n | a or b\n | ..^",
  },
  {
    scope: 'authorizer',
    text: 'a and b and c',
    problem: "compilation failed: ERROR: <input>:1:3: Syntax error: mismatched input 'and' expecting <EOF>\n | a and b and c\n | ..^",
  },
  {
    scope: 'authorizer',
    text: 'not a',
    problem: "compilation failed: ERROR: <input>:1:5: Syntax error: extraneous input 'a' expecting <EOF>\n | not a\n | ....^",
  },
  {
    scope: 'authorizer',
    text: 'if a then b',
    problem:
      "compilation failed: ERROR: <input>:1:1: reserved identifier: if\n | if a then b\n | ^\nERROR: <input>:1:4: Syntax error: mismatched input 'a' expecting <EOF>\n | if a then b\n | ...^",
  },
  {
    scope: 'authorizer',
    text: 'a => b',
    problem:
      "compilation failed: ERROR: <input>:1:3: Syntax error: token recognition error at: '=>'\n | a => b\n | ..^\nERROR: <input>:1:6: Syntax error: extraneous input 'b' expecting <EOF>\n | a => b\n | .....^",
  },
  {
    scope: 'authorizer',
    text: 'true false',
    problem: "compilation failed: ERROR: <input>:1:6: Syntax error: extraneous input 'false' expecting <EOF>\n | true false\n | .....^",
  },
  {
    scope: 'authorizer',
    text: 'null null',
    problem: "compilation failed: ERROR: <input>:1:6: Syntax error: extraneous input 'null' expecting <EOF>\n | null null\n | .....^",
  },
  {
    scope: 'authorizer',
    text: '..a',
    problem: "compilation failed: ERROR: <input>:1:2: Syntax error: no viable alternative at input '..'\n | ..a\n | .^",
  },
  {
    scope: 'authorizer',
    text: '.a.b',
    problem: "compilation failed: ERROR: <input>:1:2: undeclared reference to '.a' (in container '')\n | .a.b\n | .^",
  },
  {
    scope: 'authorizer',
    text: 'a..b',
    problem: "compilation failed: ERROR: <input>:1:3: Syntax error: no viable alternative at input '..'\n | a..b\n | ..^",
  },
  {
    scope: 'authorizer',
    text: 'a.?b.?',
    problem:
      "compilation failed: ERROR: <input>:1:7: Syntax error: mismatched input '<EOF>' expecting {IDENTIFIER, ESC_IDENTIFIER}\n | a.?b.?\n | ......^\nERROR: <input>:1:7: unsupported ident kind\n | a.?b.?\n | ......^",
  },
  {
    scope: 'authorizer',
    text: 'a[?',
    problem:
      "compilation failed: ERROR: <input>:1:4: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | a[?\n | ...^",
  },
  {
    scope: 'authorizer',
    text: 'a[?]',
    problem:
      "compilation failed: ERROR: <input>:1:4: Syntax error: mismatched input ']' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | a[?]\n | ...^",
  },
  {
    scope: 'authorizer',
    text: '{?}',
    problem:
      "compilation failed: ERROR: <input>:1:3: Syntax error: mismatched input '}' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | {?}\n | ..^",
  },
  {
    scope: 'authorizer',
    text: '{?a}',
    problem: "compilation failed: ERROR: <input>:1:4: Syntax error: mismatched input '}' expecting ':'\n | {?a}\n | ...^",
  },
  {
    scope: 'authorizer',
    text: '[?]',
    problem:
      "compilation failed: ERROR: <input>:1:3: Syntax error: mismatched input ']' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | [?]\n | ..^",
  },
  {
    scope: 'authorizer',
    text: 'A{?}',
    problem:
      "compilation failed: ERROR: <input>:1:4: Syntax error: mismatched input '}' expecting {IDENTIFIER, ESC_IDENTIFIER}\n | A{?}\n | ...^",
  },
  {
    scope: 'authorizer',
    text: 'A{?b: c}',
    problem: "compilation failed: ERROR: <input>:1:2: undeclared reference to 'A' (in container '')\n | A{?b: c}\n | .^",
  },
  {
    scope: '',
    text: 'kubernetes.Semver',
    problem: "compilation failed: ERROR: <input>:1:1: undeclared reference to 'kubernetes' (in container '')\n | kubernetes.Semver\n | ^",
  },
  { scope: '', text: 'net.CIDR', type: 'type(net.CIDR)' },
  {
    scope: '',
    text: 'kubernetes.URL',
    problem: "compilation failed: ERROR: <input>:1:1: undeclared reference to 'kubernetes' (in container '')\n | kubernetes.URL\n | ^",
  },
  {
    scope: '',
    text: 'kubernetes.NamedFormat',
    problem:
      "compilation failed: ERROR: <input>:1:1: undeclared reference to 'kubernetes' (in container '')\n | kubernetes.NamedFormat\n | ^",
  },
  {
    scope: '',
    text: 'kubernetes.authorization.Authorizer',
    problem:
      "compilation failed: ERROR: <input>:1:1: undeclared reference to 'kubernetes' (in container '')\n | kubernetes.authorization.Authorizer\n | ^",
  },
  { scope: '', text: 'null_type', type: 'type(null_type)' },
  { scope: '', text: 'type(null)', type: 'type(null_type)' },
  {
    scope: '',
    text: 'kubernetes.AdmissionRequest',
    problem: 'program instantiation failed: reference to undefined type: kubernetes.AdmissionRequest',
  },
  { scope: 'patch', text: 'Object', problem: 'program instantiation failed: reference to undefined type: Object' },
  { scope: 'patch', text: 'Object.spec', problem: 'program instantiation failed: reference to undefined type: Object.spec' },
  { scope: 'patch', text: 'JSONPatch', problem: 'program instantiation failed: reference to undefined type: JSONPatch' },
  {
    scope: 'patch',
    text: 'JSONPatch.foo',
    problem:
      "compilation failed: ERROR: <input>:1:10: type 'type(JSONPatch)' does not support field selection\n | JSONPatch.foo\n | .........^",
  },
  { scope: 'patch', text: "jsonpatch.escapeKey('a')", type: 'string' },
  { scope: '', text: 'int{}', problem: "compilation failed: ERROR: <input>:1:4: 'int' is not a message type\n | int{}\n | ...^" },
  { scope: '', text: 'timestamp{}', type: 'google.protobuf.Timestamp' },
  {
    scope: '',
    text: 'net.IP{}',
    problem: "compilation failed: ERROR: <input>:1:7: 'net.IP' is not a message type\n | net.IP{}\n | ......^",
  },
  { scope: '', text: 'kubernetes.Namespace{}', type: 'kubernetes.Namespace' },
  { scope: '', text: 'kubernetes.Namespace{spec: kubernetes.NamespaceSpec{}}', type: 'kubernetes.Namespace' },
  { scope: '', text: 'namespaceObject.metadata.UID', type: 'string' },
  {
    scope: '',
    text: 'optional_type{}',
    problem: "compilation failed: ERROR: <input>:1:14: 'optional_type' is not a message type\n | optional_type{}\n | .............^",
  },
  { scope: 'authorizer', text: "int('abc')", problem: "program instantiation failed: type conversion error from 'string' to 'int'" },
  { scope: 'authorizer', text: "uint('-1')", problem: "program instantiation failed: type conversion error from 'string' to 'uint'" },
  { scope: 'authorizer', text: "double('x')", problem: "program instantiation failed: type conversion error from 'string' to 'double'" },
  { scope: 'authorizer', text: "bool('x')", problem: "program instantiation failed: type conversion error from 'string' to 'bool'" },
  { scope: 'authorizer', text: "bool('True')", type: 'bool' },
  {
    scope: 'authorizer',
    text: "string(b'\\xff')",
    problem: 'program instantiation failed: invalid UTF-8 in bytes, cannot convert to string',
  },
  { scope: 'authorizer', text: "bytes('x')", type: 'bytes' },
  {
    scope: 'authorizer',
    text: 'timestamp(253402300800)',
    problem: 'compilation failed: ERROR: <input>:1:11: invalid timestamp argument\n | timestamp(253402300800)\n | ..........^',
  },
  {
    scope: 'authorizer',
    text: 'timestamp(-62135596801)',
    problem: 'compilation failed: ERROR: <input>:1:11: invalid timestamp argument\n | timestamp(-62135596801)\n | ..........^',
  },
  { scope: 'authorizer', text: 'timestamp(253402300799)', type: 'google.protobuf.Timestamp' },
  {
    scope: 'authorizer',
    text: 'duration(1)',
    problem: 'compilation failed: ERROR: <input>:1:10: invalid duration argument\n | duration(1)\n | .........^',
  },
  {
    scope: 'authorizer',
    text: 'duration(9223372036854775807)',
    problem: 'compilation failed: ERROR: <input>:1:10: invalid duration argument\n | duration(9223372036854775807)\n | .........^',
  },
  { scope: 'authorizer', text: 'uint(-1)', problem: 'program instantiation failed: unsigned integer overflow' },
  { scope: 'authorizer', text: 'int(1e30)', problem: 'program instantiation failed: integer overflow' },
  { scope: 'authorizer', text: 'int(18446744073709551615u)', problem: 'program instantiation failed: integer overflow' },
  {
    scope: 'authorizer',
    text: "'%s'.format([1,'a'])",
    problem:
      "compilation failed: ERROR: <input>:1:12: too many arguments supplied to string.format (expected 1, got 2)\n | '%s'.format([1,'a'])\n | ...........^",
  },
  {
    scope: 'authorizer',
    text: "'%d %q'.format([1])",
    problem: "compilation failed: ERROR: <input>:1:15: index 1 out of range\n | '%d %q'.format([1])\n | ..............^",
  },
  {
    scope: 'authorizer',
    text: "[1,'a'].size()",
    problem: "compilation failed: ERROR: <input>:1:4: expected type 'int' but found 'string'\n | [1,'a'].size()\n | ...^",
  },
  { scope: 'authorizer', text: "'%s'.format([[1,'a']])", type: 'string' },
  {
    scope: 'authorizer',
    text: "[{'a':1},{'a':'b'}]",
    problem:
      "compilation failed: ERROR: <input>:1:10: expected type 'map(string, int)' but found 'map(string, string)'\n | [{'a':1},{'a':'b'}]\n | .........^",
  },
  {
    scope: 'authorizer',
    text: "matches('(', 'a')",
    problem: "compilation failed: ERROR: <input>:1:9: invalid matches argument\n | matches('(', 'a')\n | ........^",
  },
  { scope: 'authorizer', text: "matches('a','(')", problem: 'program instantiation failed: error parsing regexp: missing closing ): `(`' },
  { scope: 'authorizer', text: "'a'.findAll('[')", problem: 'program instantiation failed: error parsing regexp: missing closing ]: `[`' },
  {
    scope: 'authorizer',
    text: "'a'.findAll('[', 1)",
    problem: 'program instantiation failed: error parsing regexp: missing closing ]: `[`',
  },
  { scope: 'authorizer', text: '{1:1,1:2}', type: 'map(int, int)' },
  { scope: 'authorizer', text: "{'a':1}.b", type: 'int' },
  {
    scope: 'authorizer',
    text: '[optional.none(), 1]',
    problem:
      "compilation failed: ERROR: <input>:1:19: expected type 'optional_type(dyn)' but found 'int'\n | [optional.none(), 1]\n | ..................^",
  },
  { scope: 'authorizer', text: '[[], [1]]', type: 'list(list(int))' },
  { scope: 'authorizer', text: "[{}, {'a': 1}]", type: 'list(map(string, int))' },
  {
    scope: 'authorizer',
    text: '[dyn(1), 1]',
    problem: "compilation failed: ERROR: <input>:1:10: expected type 'dyn' but found 'int'\n | [dyn(1), 1]\n | .........^",
  },
  {
    scope: 'authorizer',
    text: '[1, null]',
    problem: "compilation failed: ERROR: <input>:1:5: expected type 'int' but found 'null'\n | [1, null]\n | ....^",
  },
  {
    scope: 'authorizer',
    text: '[timestamp(1), null]',
    problem:
      "compilation failed: ERROR: <input>:1:16: expected type 'timestamp' but found 'null'\n | [timestamp(1), null]\n | ...............^",
  },
  {
    scope: 'authorizer',
    text: 'true || 1',
    problem: "compilation failed: ERROR: <input>:1:9: expected type 'bool' but found 'int'\n | true || 1\n | ........^",
  },
  { scope: 'authorizer', text: "int('12')", type: 'int' },
  { scope: 'authorizer', text: "dyn('x').foo", type: 'dyn' },
  { scope: 'authorizer', text: 'type(1) == int', type: 'bool' },
  { scope: 'authorizer', text: "type(1) == type('a')", type: 'bool' },
  { scope: 'authorizer', text: 'int == string', type: 'bool' },
  { scope: 'authorizer', text: "duration('1h1m') + duration('-1.5s')", type: 'google.protobuf.Duration' },
  {
    scope: 'authorizer',
    text: "duration('1d')",
    problem: "compilation failed: ERROR: <input>:1:10: invalid duration argument\n | duration('1d')\n | .........^",
  },
  { scope: 'authorizer', text: "timestamp('2020-01-01T00:00:00Z')", type: 'google.protobuf.Timestamp' },
  {
    scope: 'authorizer',
    text: "timestamp('2020-01-01')",
    problem: "compilation failed: ERROR: <input>:1:11: invalid timestamp argument\n | timestamp('2020-01-01')\n | ..........^",
  },
  {
    scope: 'authorizer',
    text: "timestamp('0000-01-01T00:00:00Z')",
    problem: "compilation failed: ERROR: <input>:1:11: invalid timestamp argument\n | timestamp('0000-01-01T00:00:00Z')\n | ..........^",
  },
  {
    scope: 'authorizer',
    text: "timestamp('10000-01-01T00:00:00Z')",
    problem: "compilation failed: ERROR: <input>:1:11: invalid timestamp argument\n | timestamp('10000-01-01T00:00:00Z')\n | ..........^",
  },
  { scope: 'authorizer', text: "timestamp('2020-01-01T00:00:00+01:00')", type: 'google.protobuf.Timestamp' },
  {
    scope: 'authorizer',
    text: "timestamp('2020-01-01t00:00:00z')",
    problem: "compilation failed: ERROR: <input>:1:11: invalid timestamp argument\n | timestamp('2020-01-01t00:00:00z')\n | ..........^",
  },
  {
    scope: 'authorizer',
    text: "duration('')",
    problem: "compilation failed: ERROR: <input>:1:10: invalid duration argument\n | duration('')\n | .........^",
  },
  {
    scope: 'authorizer',
    text: "duration('1')",
    problem: "compilation failed: ERROR: <input>:1:10: invalid duration argument\n | duration('1')\n | .........^",
  },
  { scope: 'authorizer', text: "duration('0')", type: 'google.protobuf.Duration' },
  { scope: 'authorizer', text: "duration('+5s')", type: 'google.protobuf.Duration' },
  {
    scope: 'authorizer',
    text: "duration('1h 1m')",
    problem: "compilation failed: ERROR: <input>:1:10: invalid duration argument\n | duration('1h 1m')\n | .........^",
  },
  {
    scope: 'authorizer',
    text: "duration('9999999h')",
    problem: "compilation failed: ERROR: <input>:1:10: invalid duration argument\n | duration('9999999h')\n | .........^",
  },
  { scope: 'authorizer', text: "quantity('abc')", type: 'kubernetes.Quantity' },
  { scope: 'authorizer', text: "semver('abc')", type: 'kubernetes.Semver' },
  { scope: 'authorizer', text: "cidr('abc')", type: 'net.CIDR' },
  { scope: 'authorizer', text: "url('abc')", type: 'kubernetes.URL' },
  { scope: 'authorizer', text: '1 in [1,2,3]', type: 'bool' },
  { scope: 'authorizer', text: '1 in dyn([1])', type: 'bool' },
  { scope: 'authorizer', text: "'a' in ['a','b']", type: 'bool' },
  { scope: 'authorizer', text: '[1,2].exists(x, x in [1, 2])', type: 'bool' },
  { scope: 'authorizer', text: '1/0', type: 'int' },
  { scope: 'authorizer', text: '[1][5]', type: 'int' },
  { scope: 'authorizer', text: '-(-9223372036854775808)', type: 'int' },
  { scope: 'authorizer', text: "b'a' + b'b'", type: 'bytes' },
  { scope: 'authorizer', text: "string(1) + 'a'", type: 'string' },
  { scope: 'authorizer', text: 'int(timestamp(0))', type: 'int' },
  { scope: 'authorizer', text: "int(duration('1s'))", type: 'int' },
  { scope: 'authorizer', text: "dyn(1) + 'a'", type: 'string' },
  { scope: 'authorizer', text: 'object.x + 1', type: 'int' },
  { scope: 'authorizer', text: 'object.x && object.y', type: 'bool' },
  { scope: 'authorizer', text: 'object.x ? 1 : 2', type: 'int' },
  { scope: 'authorizer', text: 'object[0]', type: 'dyn' },
  {
    scope: 'authorizer',
    text: 'request[0]',
    problem:
      "compilation failed: ERROR: <input>:1:8: found no matching overload for '_[_]' applied to '(kubernetes.AdmissionRequest, int)'\n | request[0]\n | .......^",
  },
  {
    scope: 'authorizer',
    text: "[1]['a']",
    problem:
      "compilation failed: ERROR: <input>:1:4: found no matching overload for '_[_]' applied to '(list(int), string)'\n | [1]['a']\n | ...^",
  },
  {
    scope: 'authorizer',
    text: "{'a':1}[1]",
    problem:
      "compilation failed: ERROR: <input>:1:8: found no matching overload for '_[_]' applied to '(map(string, int), int)'\n | {'a':1}[1]\n | .......^",
  },
  {
    scope: 'authorizer',
    text: '[1][1u]',
    problem:
      "compilation failed: ERROR: <input>:1:4: found no matching overload for '_[_]' applied to '(list(int), uint)'\n | [1][1u]\n | ...^",
  },
  { scope: 'authorizer', text: '[1][object.a]', type: 'int' },
  {
    scope: 'authorizer',
    text: '[1][1.0]',
    problem:
      "compilation failed: ERROR: <input>:1:4: found no matching overload for '_[_]' applied to '(list(int), double)'\n | [1][1.0]\n | ...^",
  },
  {
    scope: 'authorizer',
    text: "{'a': 1}[?1]",
    problem:
      "compilation failed: ERROR: <input>:1:9: found no matching overload for '_[?_]' applied to '(map(string, int), int)'\n | {'a': 1}[?1]\n | ........^",
  },
  {
    scope: 'authorizer',
    text: 'optional.of(1).b',
    problem:
      "compilation failed: ERROR: <input>:1:15: type 'int' does not support field selection\n | optional.of(1).b\n | ..............^",
  },
  { scope: 'authorizer', text: "optional.of({'a':1}).a", type: 'optional_type(int)' },
  {
    scope: 'authorizer',
    text: 'optional.of(1) == 1',
    problem:
      "compilation failed: ERROR: <input>:1:16: found no matching overload for '_==_' applied to '(optional_type(int), int)'\n | optional.of(1) == 1\n | ...............^",
  },
  { scope: 'authorizer', text: 'optional.of(object).?a.orValue(1) == 1', type: 'bool' },
  { scope: 'authorizer', text: 'optional.none().orValue(1)', type: 'int' },
  { scope: 'authorizer', text: 'optional.none().value() + 1', type: 'int' },
  { scope: 'authorizer', text: '[].sum()', type: 'int' },
  {
    scope: 'authorizer',
    text: "['a'].sum()",
    problem:
      "compilation failed: ERROR: <input>:1:10: found no matching overload for 'sum' applied to 'list(string).()'\n | ['a'].sum()\n | .........^",
  },
  { scope: 'authorizer', text: '[1].max()', type: 'int' },
  { scope: 'authorizer', text: '[object].max()', type: 'dyn' },
  { scope: 'authorizer', text: 'object.max()', type: 'dyn' },
  { scope: 'authorizer', text: '[1,2].isSorted()', type: 'bool' },
  {
    scope: 'authorizer',
    text: "[1].indexOf('a')",
    problem:
      "compilation failed: ERROR: <input>:1:12: found no matching overload for 'indexOf' applied to 'list(int).(string)'\n | [1].indexOf('a')\n | ...........^",
  },
  {
    scope: 'authorizer',
    text: "['a'].join(1)",
    problem:
      "compilation failed: ERROR: <input>:1:11: found no matching overload for 'join' applied to 'list(string).(int)'\n | ['a'].join(1)\n | ..........^",
  },
  { scope: 'authorizer', text: "object.join(',')", type: 'string' },
  { scope: 'authorizer', text: "'a'.split(',')[0]", type: 'string' },
  {
    scope: 'authorizer',
    text: "'abc'.charAt('a')",
    problem:
      "compilation failed: ERROR: <input>:1:13: found no matching overload for 'charAt' applied to 'string.(string)'\n | 'abc'.charAt('a')\n | ............^",
  },
  {
    scope: 'authorizer',
    text: "'a'.replace('a')",
    problem:
      "compilation failed: ERROR: <input>:1:12: found no matching overload for 'replace' applied to 'string.(string)'\n | 'a'.replace('a')\n | ...........^",
  },
  { scope: 'authorizer', text: "url('a').getHost()", type: 'string' },
  { scope: 'authorizer', text: "authorizer.group('').resource('pods').check('get').allowed()", type: 'bool' },
  {
    scope: 'authorizer',
    text: "authorizer.path('/x').allowed()",
    problem:
      "compilation failed: ERROR: <input>:1:30: found no matching overload for 'allowed' applied to 'kubernetes.authorization.PathCheck.()'\n | authorizer.path('/x').allowed()\n | .............................^",
  },
  {
    scope: 'authorizer',
    text: "authorizer.resource('x')",
    problem:
      "compilation failed: ERROR: <input>:1:20: found no matching overload for 'resource' applied to 'kubernetes.authorization.Authorizer.(string)'\n | authorizer.resource('x')\n | ...................^",
  },
  {
    scope: 'authorizer',
    text: "quantity('1').add(1).sub('x')",
    problem:
      "compilation failed: ERROR: <input>:1:25: found no matching overload for 'sub' applied to 'kubernetes.Quantity.(string)'\n | quantity('1').add(1).sub('x')\n | ........................^",
  },
  { scope: 'authorizer', text: "ip('1.1.1.1').family() == 4", type: 'bool' },
  {
    scope: 'authorizer',
    text: 'isIP(1)',
    problem: "compilation failed: ERROR: <input>:1:5: found no matching overload for 'isIP' applied to '(int)'\n | isIP(1)\n | ....^",
  },
  { scope: 'authorizer', text: "ip.isCanonical('a')", type: 'bool' },
  {
    scope: 'authorizer',
    text: "ip.foo('a')",
    problem:
      "compilation failed: ERROR: <input>:1:1: undeclared reference to 'ip' (in container '')\n | ip.foo('a')\n | ^\nERROR: <input>:1:7: undeclared reference to 'foo' (in container '')\n | ip.foo('a')\n | ......^",
  },
  {
    scope: 'authorizer',
    text: "cidr('10.0.0.0/8').containsIP(1)",
    problem:
      "compilation failed: ERROR: <input>:1:30: found no matching overload for 'containsIP' applied to 'net.CIDR.(int)'\n | cidr('10.0.0.0/8').containsIP(1)\n | .............................^",
  },
  { scope: 'authorizer', text: "format.dns1123Label().validate('a')", type: 'optional_type(list(string))' },
  { scope: 'authorizer', text: "format.named('a').value().validate('b')", type: 'optional_type(list(string))' },
  {
    scope: 'authorizer',
    text: 'format.foo()',
    problem:
      "compilation failed: ERROR: <input>:1:1: undeclared reference to 'format' (in container '')\n | format.foo()\n | ^\nERROR: <input>:1:11: undeclared reference to 'foo' (in container '')\n | format.foo()\n | ..........^",
  },
  {
    scope: 'authorizer',
    text: "sets.contains([1],['a'])",
    problem:
      "compilation failed: ERROR: <input>:1:14: found no matching overload for 'sets.contains' applied to '(list(int), list(string))'\n | sets.contains([1],['a'])\n | .............^",
  },
  {
    scope: 'authorizer',
    text: 'sets.contains(1,[1])',
    problem:
      "compilation failed: ERROR: <input>:1:14: found no matching overload for 'sets.contains' applied to '(int, list(int))'\n | sets.contains(1,[1])\n | .............^",
  },
  {
    scope: 'authorizer',
    text: "lists.range('a')",
    problem:
      "compilation failed: ERROR: <input>:1:12: found no matching overload for 'lists.range' applied to '(string)'\n | lists.range('a')\n | ...........^",
  },
  { scope: 'authorizer', text: '[3,1].sort()', type: 'list(int)' },
  { scope: 'authorizer', text: '[[1],[2]].flatten()', type: 'list(int)' },
  {
    scope: 'authorizer',
    text: '[1].flatten()',
    problem:
      "compilation failed: ERROR: <input>:1:12: found no matching overload for 'flatten' applied to 'list(int).()'\n | [1].flatten()\n | ...........^",
  },
  { scope: 'authorizer', text: '[1].flatten(1)', type: 'list(dyn)' },
  { scope: 'authorizer', text: '[1,1].distinct()', type: 'list(int)' },
  { scope: 'authorizer', text: '[1,2].first()', type: 'optional_type(int)' },
  { scope: 'authorizer', text: '[1].reverse()', type: 'list(int)' },
  { scope: 'authorizer', text: 'object.sort()', type: 'dyn' },
  { scope: 'authorizer', text: '[object].sort()', type: 'dyn' },
  {
    scope: 'authorizer',
    text: "[{'a':1}].sort()",
    problem:
      "compilation failed: ERROR: <input>:1:15: found no matching overload for 'sort' applied to 'list(map(string, int)).()'\n | [{'a':1}].sort()\n | ..............^",
  },
  {
    scope: 'authorizer',
    text: "[{'a':1}].sortBy(x, x)",
    problem:
      "compilation failed: ERROR: <input>:1:17: found no matching overload for '@sortByAssociatedKeys' applied to 'list(map(string, int)).(list(map(string, int)))'\n | [{'a':1}].sortBy(x, x)\n | ................^",
  },
  { scope: 'authorizer', text: "[{'a':1}].sortBy(x, x.a)", type: 'list(map(string, int))' },
  {
    scope: 'authorizer',
    text: '1.sortBy(x, x)',
    problem:
      'compilation failed: ERROR: <input>:1:1: sortBy can only be applied to a list, identifier, comprehension, call or select expression\n | 1.sortBy(x, x)\n | ^',
  },
  {
    scope: 'authorizer',
    text: "('a').sortBy(x, x)",
    problem:
      "compilation failed: ERROR: <input>:1:2: sortBy can only be applied to a list, identifier, comprehension, call or select expression\n | ('a').sortBy(x, x)\n | .^",
  },
  {
    scope: 'authorizer',
    text: 'object.sortBy(1, 1)',
    problem: 'compilation failed: ERROR: <input>:1:15: argument is not an identifier\n | object.sortBy(1, 1)\n | ..............^',
  },
  { scope: 'authorizer', text: 'object.transformMap(k, v, k)', type: 'map(dyn, dyn)' },
  {
    scope: 'authorizer',
    text: "[1].transformMap(i, v, i + 'a')",
    problem:
      "compilation failed: ERROR: <input>:1:26: found no matching overload for '_+_' applied to '(int, string)'\n | [1].transformMap(i, v, i + 'a')\n | .........................^",
  },
  { scope: 'authorizer', text: "{'a':1}.transformMapEntry(k, v, {v: k})", type: 'map(int, string)' },
  {
    scope: 'authorizer',
    text: "{'a':1}.transformMapEntry(k, v, 1)",
    problem:
      "compilation failed: ERROR: <input>:1:26: found no matching overload for 'cel.@mapInsert' applied to '(map(dyn, dyn), int)'\n | {'a':1}.transformMapEntry(k, v, 1)\n | .........................^",
  },
  {
    scope: 'authorizer',
    text: "{'a':1}.transformList(k, k, 1)",
    problem:
      "compilation failed: ERROR: <input>:1:26: duplicate variable name: k\n | {'a':1}.transformList(k, k, 1)\n | .........................^",
  },
  {
    scope: 'authorizer',
    text: "{'a':1}.transformList(k, 1, 1)",
    problem:
      "compilation failed: ERROR: <input>:1:26: argument must be a simple name\n | {'a':1}.transformList(k, 1, 1)\n | .........................^",
  },
  {
    scope: 'authorizer',
    text: '[1].all(__result__, true)',
    problem:
      'compilation failed: ERROR: <input>:1:9: iteration variable overwrites accumulator variable\n | [1].all(__result__, true)\n | ........^',
  },
  {
    scope: 'authorizer',
    text: '[1].map(__result__, true)',
    problem:
      'compilation failed: ERROR: <input>:1:9: iteration variable overwrites accumulator variable\n | [1].map(__result__, true)\n | ........^',
  },
  { scope: 'authorizer', text: 'object.optMap(x, x)', type: 'optional_type(dyn)' },
  {
    scope: 'authorizer',
    text: "optional.of(1).optMap(x, x + 'a')",
    problem:
      "compilation failed: ERROR: <input>:1:28: found no matching overload for '_+_' applied to '(int, string)'\n | optional.of(1).optMap(x, x + 'a')\n | ...........................^",
  },
  {
    scope: 'authorizer',
    text: 'optional.of(1).optMap(1, x)',
    problem:
      'compilation failed: ERROR: <input>:1:23: optMap() variable name must be a simple identifier\n | optional.of(1).optMap(1, x)\n | ......................^',
  },
  {
    scope: 'authorizer',
    text: 'optional.of(1).optFlatMap(x, x)',
    problem:
      "compilation failed: ERROR: <input>:1:26: found no matching overload for '_?_:_' applied to '(bool, int, optional_type(dyn))'\n | optional.of(1).optFlatMap(x, x)\n | .........................^",
  },
  { scope: 'authorizer', text: 'optional.of(1).optFlatMap(x, optional.of(string(x)))', type: 'optional_type(string)' },
  {
    scope: 'authorizer',
    text: '[1].exists_one(x, x)',
    problem:
      "compilation failed: ERROR: <input>:1:15: found no matching overload for '_?_:_' applied to '(int, int, int)'\n | [1].exists_one(x, x)\n | ..............^",
  },
  {
    scope: 'authorizer',
    text: '[1].existsOne(x, true)',
    problem:
      "compilation failed: ERROR: <input>:1:14: undeclared reference to 'existsOne' (in container '')\n | [1].existsOne(x, true)\n | .............^\nERROR: <input>:1:15: undeclared reference to 'x' (in container '')\n | [1].existsOne(x, true)\n | ..............^",
  },
  { scope: 'authorizer', text: '[1].existsOne(i, x, true)', type: 'bool' },
  {
    scope: 'authorizer',
    text: '[1].filter(x, x)',
    problem:
      "compilation failed: ERROR: <input>:1:11: found no matching overload for '_?_:_' applied to '(int, list(int), list(int))'\n | [1].filter(x, x)\n | ..........^",
  },
  {
    scope: 'authorizer',
    text: '[1].map(x, x, x)',
    problem:
      "compilation failed: ERROR: <input>:1:8: found no matching overload for '_?_:_' applied to '(int, list(int), list(int))'\n | [1].map(x, x, x)\n | .......^",
  },
  {
    scope: 'authorizer',
    text: "[1,2].map(x, [x]).map(y, y[0] + 'a')",
    problem:
      "compilation failed: ERROR: <input>:1:31: found no matching overload for '_+_' applied to '(int, string)'\n | [1,2].map(x, [x]).map(y, y[0] + 'a')\n | ..............................^",
  },
  {
    scope: 'authorizer',
    text: "[1].all(x, x > 'a') && [2].exists(y, y == 'b')",
    problem:
      "compilation failed: ERROR: <input>:1:14: found no matching overload for '_>_' applied to '(int, string)'\n | [1].all(x, x > 'a') && [2].exists(y, y == 'b')\n | .............^\nERROR: <input>:1:40: found no matching overload for '_==_' applied to '(int, string)'\n | [1].all(x, x > 'a') && [2].exists(y, y == 'b')\n | .......................................^",
  },
  {
    scope: 'authorizer',
    text: '[1].all(x, x.y)',
    problem: "compilation failed: ERROR: <input>:1:13: type 'int' does not support field selection\n | [1].all(x, x.y)\n | ............^",
  },
  {
    scope: 'authorizer',
    text: "[[1]].all(x, x.all(y, y > 'a'))",
    problem:
      "compilation failed: ERROR: <input>:1:25: found no matching overload for '_>_' applied to '(int, string)'\n | [[1]].all(x, x.all(y, y > 'a'))\n | ........................^",
  },
  {
    scope: 'authorizer',
    text: 'has(request.name) && has(request.foo)',
    problem:
      "compilation failed: ERROR: <input>:1:25: undefined field 'foo'\n | has(request.name) && has(request.foo)\n | ........................^",
  },
  {
    scope: 'authorizer',
    text: 'has(request.name.foo)',
    problem: "compilation failed: ERROR: <input>:1:4: type 'string' does not support field selection\n | has(request.name.foo)\n | ...^",
  },
  { scope: 'authorizer', text: 'has({}.a)', type: 'bool' },
  {
    scope: 'authorizer',
    text: 'object.a.b.c.d(1)',
    problem:
      "compilation failed: ERROR: <input>:1:15: undeclared reference to 'd' (in container '')\n | object.a.b.c.d(1)\n | ..............^",
  },
  {
    scope: 'authorizer',
    text: 'foo(1)',
    problem: "compilation failed: ERROR: <input>:1:4: undeclared reference to 'foo' (in container '')\n | foo(1)\n | ...^",
  },
  {
    scope: 'authorizer',
    text: 'foo.bar(1)',
    problem:
      "compilation failed: ERROR: <input>:1:1: undeclared reference to 'foo' (in container '')\n | foo.bar(1)\n | ^\nERROR: <input>:1:8: undeclared reference to 'bar' (in container '')\n | foo.bar(1)\n | .......^",
  },
  {
    scope: 'authorizer',
    text: 'object.foo(1)',
    problem: "compilation failed: ERROR: <input>:1:11: undeclared reference to 'foo' (in container '')\n | object.foo(1)\n | ..........^",
  },
  {
    scope: 'authorizer',
    text: 'size(1)',
    problem: "compilation failed: ERROR: <input>:1:5: found no matching overload for 'size' applied to '(int)'\n | size(1)\n | ....^",
  },
  {
    scope: 'authorizer',
    text: "size('a','b')",
    problem:
      "compilation failed: ERROR: <input>:1:5: found no matching overload for 'size' applied to '(string, string)'\n | size('a','b')\n | ....^",
  },
  {
    scope: 'authorizer',
    text: "'a'.size(1)",
    problem:
      "compilation failed: ERROR: <input>:1:9: found no matching overload for 'size' applied to 'string.(int)'\n | 'a'.size(1)\n | ........^",
  },
  {
    scope: 'authorizer',
    text: '1.size()',
    problem: "compilation failed: ERROR: <input>:1:7: found no matching overload for 'size' applied to 'int.()'\n | 1.size()\n | ......^",
  },
  {
    scope: 'authorizer',
    text: 'type(1,2)',
    problem:
      "compilation failed: ERROR: <input>:1:5: found no matching overload for 'type' applied to '(int, int)'\n | type(1,2)\n | ....^",
  },
  {
    scope: 'authorizer',
    text: 'dyn()',
    problem: "compilation failed: ERROR: <input>:1:4: found no matching overload for 'dyn' applied to '()'\n | dyn()\n | ...^",
  },
  { scope: 'authorizer', text: '-object.a', type: 'dyn' },
  { scope: 'authorizer', text: '!object.a', type: 'bool' },
  {
    scope: 'authorizer',
    text: "!'a'",
    problem: "compilation failed: ERROR: <input>:1:1: found no matching overload for '!_' applied to '(string)'\n | !'a'\n | ^",
  },
  {
    scope: 'authorizer',
    text: '-1u',
    problem: "compilation failed: ERROR: <input>:1:1: found no matching overload for '-_' applied to '(uint)'\n | -1u\n | ^",
  },
  { scope: 'authorizer', text: 'null + null', type: 'dyn' },
  { scope: 'authorizer', text: 'null == null', type: 'bool' },
  {
    scope: 'authorizer',
    text: "null != 'a'",
    problem:
      "compilation failed: ERROR: <input>:1:6: found no matching overload for '_!=_' applied to '(null, string)'\n | null != 'a'\n | .....^",
  },
  { scope: 'authorizer', text: 'null in [null]', type: 'bool' },
  { scope: 'authorizer', text: 'object == null', type: 'bool' },
  { scope: 'authorizer', text: 'request == null', type: 'bool' },
  {
    scope: 'authorizer',
    text: 'request.name == null',
    problem:
      "compilation failed: ERROR: <input>:1:14: found no matching overload for '_==_' applied to '(string, null)'\n | request.name == null\n | .............^",
  },
  { scope: 'authorizer', text: 'timestamp(1) == null', type: 'bool' },
  {
    scope: 'authorizer',
    text: "timestamp(1) > duration('1s')",
    problem:
      "compilation failed: ERROR: <input>:1:14: found no matching overload for '_>_' applied to '(timestamp, duration)'\n | timestamp(1) > duration('1s')\n | .............^",
  },
  {
    scope: 'authorizer',
    text: "timestamp(1).getHours('a') + timestamp(1).getHours(1)",
    problem:
      "compilation failed: ERROR: <input>:1:51: found no matching overload for 'getHours' applied to 'timestamp.(int)'\n | timestamp(1).getHours('a') + timestamp(1).getHours(1)\n | ..................................................^",
  },
  {
    scope: 'authorizer',
    text: "duration('1s').getHours('UTC')",
    problem:
      "compilation failed: ERROR: <input>:1:24: found no matching overload for 'getHours' applied to 'duration.(string)'\n | duration('1s').getHours('UTC')\n | .......................^",
  },
  {
    scope: 'authorizer',
    text: 'request.userInfo.groups.exists(g, g == 1)',
    problem:
      "compilation failed: ERROR: <input>:1:37: found no matching overload for '_==_' applied to '(string, int)'\n | request.userInfo.groups.exists(g, g == 1)\n | ....................................^",
  },
  {
    scope: 'authorizer',
    text: "request.userInfo.extra['a'].all(x, x == 1)",
    problem:
      "compilation failed: ERROR: <input>:1:38: found no matching overload for '_==_' applied to '(string, int)'\n | request.userInfo.extra['a'].all(x, x == 1)\n | .....................................^",
  },
  { scope: 'authorizer', text: 'request.options.foo', type: 'dyn' },
  {
    scope: 'authorizer',
    text: 'request.kind.foo',
    problem: "compilation failed: ERROR: <input>:1:13: undefined field 'foo'\n | request.kind.foo\n | ............^",
  },
  {
    scope: 'authorizer',
    text: 'namespaceObject.status.conditions.all(c, c.type == 1)',
    problem:
      "compilation failed: ERROR: <input>:1:49: found no matching overload for '_==_' applied to '(string, int)'\n | namespaceObject.status.conditions.all(c, c.type == 1)\n | ................................................^",
  },
  {
    scope: 'authorizer',
    text: "namespaceObject.metadata.labels['a'] + 1",
    problem:
      "compilation failed: ERROR: <input>:1:38: found no matching overload for '_+_' applied to '(string, int)'\n | namespaceObject.metadata.labels['a'] + 1\n | .....................................^",
  },
  {
    scope: 'authorizer',
    text: 'params.foo',
    problem: "compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')\n | params.foo\n | ^",
  },
  {
    scope: 'authorizer',
    text: "object.metadata.name.matches('[')",
    problem:
      "compilation failed: ERROR: <input>:1:30: invalid matches argument\n | object.metadata.name.matches('[')\n | .............................^",
  },
  {
    scope: 'authorizer',
    text: "object.metadata.name.matches('a{1001}')",
    problem:
      "compilation failed: ERROR: <input>:1:30: invalid matches argument\n | object.metadata.name.matches('a{1001}')\n | .............................^",
  },
  { scope: 'authorizer', text: "'a'.matches('(?<n>a)')", type: 'bool' },
  {
    scope: 'authorizer',
    text: "'a'.matches('(?=a)')",
    problem: "compilation failed: ERROR: <input>:1:13: invalid matches argument\n | 'a'.matches('(?=a)')\n | ............^",
  },
  {
    scope: 'authorizer',
    text: "'a'.matches('\\\\1')",
    problem: "compilation failed: ERROR: <input>:1:13: invalid matches argument\n | 'a'.matches('\\\\1')\n | ............^",
  },
  {
    scope: 'authorizer',
    text: "'a'.matches('*')",
    problem: "compilation failed: ERROR: <input>:1:13: invalid matches argument\n | 'a'.matches('*')\n | ............^",
  },
  {
    scope: 'authorizer',
    text: "'a'.matches('a**')",
    problem: "compilation failed: ERROR: <input>:1:13: invalid matches argument\n | 'a'.matches('a**')\n | ............^",
  },
  {
    scope: 'authorizer',
    text: "'a'.matches('[z-a]')",
    problem: "compilation failed: ERROR: <input>:1:13: invalid matches argument\n | 'a'.matches('[z-a]')\n | ............^",
  },
  {
    scope: 'authorizer',
    text: "'a'.matches('\\\\p{Foo}')",
    problem: "compilation failed: ERROR: <input>:1:13: invalid matches argument\n | 'a'.matches('\\\\p{Foo}')\n | ............^",
  },
  { scope: 'authorizer', text: "'a'.matches('(?P<n>a)(?P<n>b)')", type: 'bool' },
  {
    scope: 'authorizer',
    text: "'a'.matches('a{2,1}')",
    problem: "compilation failed: ERROR: <input>:1:13: invalid matches argument\n | 'a'.matches('a{2,1}')\n | ............^",
  },
  {
    scope: 'authorizer',
    text: "'a'.matches('[[:foo:]]')",
    problem: "compilation failed: ERROR: <input>:1:13: invalid matches argument\n | 'a'.matches('[[:foo:]]')\n | ............^",
  },
  {
    scope: 'authorizer',
    text: "'a'.matches('\\\\')",
    problem: "compilation failed: ERROR: <input>:1:13: invalid matches argument\n | 'a'.matches('\\\\')\n | ............^",
  },
  {
    scope: 'authorizer',
    text: "'a'.matches(')')",
    problem: "compilation failed: ERROR: <input>:1:13: invalid matches argument\n | 'a'.matches(')')\n | ............^",
  },
  {
    scope: 'authorizer',
    text: "'a'.find('a**')",
    problem: 'program instantiation failed: error parsing regexp: invalid nested repetition operator: `**`',
  },
  {
    scope: 'authorizer',
    text: "'a'.find('[z-a]')",
    problem: 'program instantiation failed: error parsing regexp: invalid character class range: `z-a`',
  },
  {
    scope: 'authorizer',
    text: "'a'.find('\\\\8')",
    problem: 'program instantiation failed: error parsing regexp: invalid escape sequence: `\\8`',
  },
  {
    scope: 'authorizer',
    text: "'a'.find('(?i')",
    problem: 'program instantiation failed: error parsing regexp: invalid or unsupported Perl syntax: `(?i`',
  },
  {
    scope: 'authorizer',
    text: "'a'.find('(?z)')",
    problem: 'program instantiation failed: error parsing regexp: invalid or unsupported Perl syntax: `(?z`',
  },
  {
    scope: 'authorizer',
    text: "'a'.find('a{1001}')",
    problem: 'program instantiation failed: error parsing regexp: invalid repeat count: `{1001}`',
  },
  {
    scope: 'authorizer',
    text: "'a'.find('\\\\pX')",
    problem: 'program instantiation failed: error parsing regexp: invalid character class range: `\\pX`',
  },
  {
    scope: 'authorizer',
    text: "'a'.find('[[:x:]]')",
    problem: 'program instantiation failed: error parsing regexp: invalid character class range: `[:x:]`',
  },
  { scope: 'authorizer', text: "'a'.find('(?P<1>a)')", type: 'string' },
  {
    scope: 'authorizer',
    text: "'a'.find('x{2}{3}')",
    problem: 'program instantiation failed: error parsing regexp: invalid nested repetition operator: `{2}{3}`',
  },
  {
    scope: 'authorizer',
    text: "'a'.find('(?P<n')",
    problem: 'program instantiation failed: error parsing regexp: invalid named capture: `(?P<n`',
  },
  { scope: 'authorizer', text: "'a'.find('abc)')", problem: 'program instantiation failed: error parsing regexp: unexpected ): `abc)`' },
  { scope: 'authorizer', text: "'a'.find('[a')", problem: 'program instantiation failed: error parsing regexp: missing closing ]: `[a`' },
  {
    scope: 'authorizer',
    text: "'a'.find('\\\\')",
    problem: 'program instantiation failed: error parsing regexp: trailing backslash at end of expression: ``',
  },
  {
    scope: 'authorizer',
    text: "'a'.find('?')",
    problem: 'program instantiation failed: error parsing regexp: missing argument to repetition operator: `?`',
  },
  {
    scope: '',
    text: 'formatlabelValue()',
    problem:
      "compilation failed: ERROR: <input>:1:17: undeclared reference to 'formatlabelValue' (in container '')\n | formatlabelValue()\n | ................^",
  },
  {
    scope: 'params+authorizer',
    text: 'format.uri,).optMap(in ',
    variables: [
      ['a', '{"a": 1}'],
      ['b', 'variables.a'],
    ],
    problem:
      "compilation failed: ERROR: <input>:1:11: Syntax error: mismatched input ',' expecting <EOF>\n | format.uri,).optMap(in \n | ..........^",
  },
  {
    scope: 'patch+params+authorizer',
    text: 'dyn',
    variables: [
      ['a', 'optional.none()'],
      ['b', 'variables.a'],
    ],
    problem: "compilation failed: ERROR: <input>:1:1: undeclared reference to 'dyn' (in container '')\n | dyn\n | ^",
  },
  {
    scope: 'patch+params+authorizer',
    text: 'conditions',
    problem: "compilation failed: ERROR: <input>:1:1: undeclared reference to 'conditions' (in container '')\n | conditions\n | ^",
  },
  {
    scope: 'patch+params+authorizer',
    text: 'request.isLinkLocalMulticast(',
    variables: [
      ['a', 'optional.of(1)'],
      ['b', 'variables.a'],
    ],
    problem:
      "compilation failed: ERROR: <input>:1:30: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', ')', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | request.isLinkLocalMulticast(\n | .............................^",
  },
  {
    scope: 'params+authorizer',
    text: '(object.metadata.name"s"exists_one',
    variables: [
      ['a', '1u'],
      ['b', 'variables.a'],
    ],
    problem:
      'compilation failed: ERROR: <input>:1:22: Syntax error: mismatched input \'"s"\' expecting \')\'\n | (object.metadata.name"s"exists_one\n | .....................^',
  },
  {
    scope: 'authorizer',
    text: '[extra.=.|',
    variables: [
      ['a', 'true'],
      ['b', 'variables.a'],
    ],
    problem:
      "compilation failed: ERROR: <input>:1:8: Syntax error: token recognition error at: '=.'\n | [extra.=.|\n | .......^\nERROR: <input>:1:10: Syntax error: token recognition error at: '|'\n | [extra.=.|\n | .........^\nERROR: <input>:1:11: Syntax error: no viable alternative at input '.'\n | [extra.=.|\n | ..........^",
  },
  {
    scope: 'params+authorizer',
    text: 'quantity("1Gi" < object.spec <= format.dns1123Label() % 1.5',
    variables: [
      ['a', '1 +'],
      ['b', 'variables.a'],
    ],
    problem:
      "compilation failed: ERROR: <input>:1:60: Syntax error: missing ')' at '<EOF>'\n | quantity(\"1Gi\" < object.spec <= format.dns1123Label() % 1.5\n | ...........................................................^",
  },
  {
    scope: 'patch+params+authorizer',
    text: '((rhas"2020-01-01T00:00:00Z".if)',
    variables: [
      ['a', 'dyn(1)'],
      ['b', 'variables.a'],
    ],
    problem:
      'compilation failed: ERROR: <input>:1:7: Syntax error: mismatched input \'"2020-01-01T00:00:00Z"\' expecting \')\'\n | ((rhas"2020-01-01T00:00:00Z".if)\n | ......^',
  },
  {
    scope: 'patch+params+authorizer',
    text: '{',
    problem:
      "compilation failed: ERROR: <input>:1:2: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '}', '(', '.', ',', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | {\n | .^",
  },
  {
    scope: 'params',
    text: 'optional.of(variables.b)\tpatchhas(request',
    variables: [
      ['a', '-3'],
      ['b', 'variables.a'],
    ],
    problem:
      "compilation failed: ERROR: <input>:1:26: Syntax error: mismatched input 'patchhas' expecting <EOF>\n | optional.of(variables.b) patchhas(request\n | .........................^",
  },
  {
    scope: 'params',
    text: '1uflatten(request.)',
    problem:
      "compilation failed: ERROR: <input>:1:3: Syntax error: mismatched input 'flatten' expecting <EOF>\n | 1uflatten(request.)\n | ..^",
  },
  {
    scope: 'authorizer',
    text: '[',
    variables: [
      ['a', 'object.x'],
      ['b', 'variables.a'],
    ],
    problem:
      "compilation failed: ERROR: <input>:1:2: Syntax error: mismatched input '<EOF>' expecting {'[', ']', '{', '(', '.', ',', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | [\n | .^",
  },
  {
    scope: 'patch+params+authorizer',
    text: 'format.byte(a',
    variables: [
      ['a', '[]'],
      ['b', 'variables.a'],
    ],
    problem: "compilation failed: ERROR: <input>:1:14: Syntax error: missing ')' at '<EOF>'\n | format.byte(a\n | .............^",
  },
  {
    scope: 'params',
    text: '',
    variables: [
      ['a', 'object.x'],
      ['b', 'variables.a'],
    ],
    problem:
      "compilation failed: ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  },
  {
    scope: 'patch+params+authorizer',
    text: 'A.b{} .5< []',
    variables: [
      ['a', 'duration("1h")'],
      ['b', 'variables.a'],
    ],
    problem: "compilation failed: ERROR: <input>:1:7: Syntax error: mismatched input '.5' expecting <EOF>\n | A.b{} .5< []\n | ......^",
  },
  {
    scope: 'authorizer',
    text: ' bparams"s" ',
    problem:
      'compilation failed: ERROR: <input>:1:9: Syntax error: extraneous input \'"s"\' expecting <EOF>\n |  bparams"s" \n | ........^',
  },
  {
    scope: 'patch+params+authorizer',
    text: '',
    variables: [
      ['a', '0x1F'],
      ['b', 'variables.a'],
    ],
    problem:
      "compilation failed: ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  },
  {
    scope: 'params+authorizer',
    text: '',
    variables: [
      ['a', 'dyn(1)'],
      ['b', 'variables.a'],
    ],
    problem:
      "compilation failed: ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  },
  {
    scope: 'params',
    text: '',
    variables: [
      ['a', '-3'],
      ['b', 'variables.a'],
    ],
    problem:
      "compilation failed: ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  },
  {
    scope: 'authorizer',
    text: 'namespaceObject.statusconditions',
    variables: [
      ['a', 'true'],
      ['b', 'variables.a'],
    ],
    problem:
      "compilation failed: ERROR: <input>:1:16: undefined field 'statusconditions'\n | namespaceObject.statusconditions\n | ...............^",
  },
  {
    scope: '',
    text: '"""null_type',
    problem: 'compilation failed: ERROR: <input>:1:3: Syntax error: token recognition error at: \'"null_type\'\n | """null_type\n | ..^',
  },
  {
    scope: 'authorizer',
    text: 'Object.spec1eduration"1h"():{ 1}',
    problem:
      'compilation failed: ERROR: <input>:1:22: Syntax error: mismatched input \'"1h"\' expecting <EOF>\n | Object.spec1eduration"1h"():{ 1}\n | .....................^',
  },
  {
    scope: 'authorizer',
    text: 'duration("1h")',
    variables: [
      ['a', 'url("https://a/b")'],
      ['b', 'variables.a'],
    ],
    type: 'google.protobuf.Duration',
  },
  {
    scope: 'patch+params+authorizer',
    text: 'has(cidr("10.0.0.0/8").username',
    problem:
      "compilation failed: ERROR: <input>:1:32: Syntax error: missing ')' at '<EOF>'\n | has(cidr(\"10.0.0.0/8\").username\n | ...............................^",
  },
  {
    scope: 'authorizer',
    text: '(==request.userInfo.extra).username',
    variables: [
      ['a', 'duration("1h")'],
      ['b', 'variables.a'],
    ],
    problem:
      "compilation failed: ERROR: <input>:1:2: Syntax error: extraneous input '==' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | (==request.userInfo.extra).username\n | .^",
  },
  {
    scope: 'authorizer',
    text: '',
    problem:
      "compilation failed: ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  },
  {
    scope: 'patch+params+authorizer',
    text: '(null).in?if',
    problem:
      "compilation failed: ERROR: <input>:1:8: Syntax error: no viable alternative at input '.in'\n | (null).in?if\n | .......^\nERROR: <input>:1:10: Syntax error: extraneous input '?' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | (null).in?if\n | .........^\nERROR: <input>:1:11: reserved identifier: if\n | (null).in?if\n | ..........^",
  },
  {
    scope: 'authorizer',
    text: '!-ip.isCanonical(authorizer >a semver("1.0.0"))',
    variables: [
      ['a', 'url("https://a/b")'],
      ['b', 'variables.a'],
    ],
    problem:
      "compilation failed: ERROR: <input>:1:3: Syntax error: no viable alternative at input '-ip'\n | !-ip.isCanonical(authorizer >a semver(\"1.0.0\"))\n | ..^\nERROR: <input>:1:32: Syntax error: mismatched input 'semver' expecting ')'\n | !-ip.isCanonical(authorizer >a semver(\"1.0.0\"))\n | ...............................^",
  },
  {
    scope: 'params+authorizer',
    text: '',
    variables: [
      ['a', '1'],
      ['b', 'variables.a'],
    ],
    problem:
      "compilation failed: ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  },
  { scope: 'params+authorizer', text: 'true', type: 'bool' },
  {
    scope: 'params+authorizer',
    text: '\nr',
    problem: "compilation failed: ERROR: <input>:2:1: undeclared reference to 'r' (in container '')\n | r\n | ^",
  },
  {
    scope: '',
    text: '\t"""',
    variables: [
      ['a', 'quantity("1Gi")'],
      ['b', 'variables.a'],
    ],
    problem: 'compilation failed: ERROR: <input>:1:4: Syntax error: token recognition error at: \'"\'\n |  """\n | ...^',
  },
  {
    scope: 'params+authorizer',
    text: '{0x1F: {',
    variables: [
      ['a', 'optional.none()'],
      ['b', 'variables.a'],
    ],
    problem:
      "compilation failed: ERROR: <input>:1:9: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '}', '(', '.', ',', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | {0x1F: {\n | ........^",
  },
  {
    scope: 'patch+params+authorizer',
    text: '',
    variables: [
      ['a', '[]'],
      ['b', 'variables.a'],
    ],
    problem:
      "compilation failed: ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  },
  {
    scope: 'params+authorizer',
    text: 'format',
    variables: [
      ['a', 'false'],
      ['b', 'variables.a'],
    ],
    problem: "compilation failed: ERROR: <input>:1:1: undeclared reference to 'format' (in container '')\n | format\n | ^",
  },
  {
    scope: 'patch+params+authorizer',
    text: 'net.',
    variables: [
      ['a', '[1]'],
      ['b', 'variables.a'],
    ],
    problem: "compilation failed: ERROR: <input>:1:5: Syntax error: no viable alternative at input '.'\n | net.\n | ....^",
  },
  {
    scope: 'patch+params+authorizer',
    text: '("""',
    variables: [
      ['a', 'optional.of(1)'],
      ['b', 'variables.a'],
    ],
    problem:
      'compilation failed: ERROR: <input>:1:4: Syntax error: token recognition error at: \'"\'\n | ("""\n | ...^\nERROR: <input>:1:5: Syntax error: missing \')\' at \'<EOF>\'\n | ("""\n | ....^',
  },
  {
    scope: 'authorizer',
    text: '&& " 1   \\ é ! : " 😀 ? null a null 😀',
    problem:
      "compilation failed: ERROR: <input>:1:1: Syntax error: extraneous input '&&' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | && \" 1   \\ é ! : \" 😀 ? null a null 😀\n | ^\nERROR: <input>:1:4: Syntax error: token recognition error at: '\" 1   \\ '\n | && \" 1   \\ é ! : \" 😀 ? null a null 😀\n | ...^\nERROR: <input>:1:12: Syntax error: token recognition error at: 'é'\n | && \" 1   \\ é ! : \" 😀 ? null a null 😀\n | ...........＾\nERROR: <input>:1:16: Syntax error: extraneous input ':' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | && \" 1   \\ é ! : \" 😀 ? null a null 😀\n | ...........．...^\nERROR: <input>:1:18: Syntax error: token recognition error at: '\" 😀 ? null a null 😀'\n | && \" 1   \\ é ! : \" 😀 ? null a null 😀\n | ...........．.....^",
  },
  {
    scope: 'params+authorizer',
    text: '== / é a /* null 1 \t \n \n / =',
    problem:
      "compilation failed: ERROR: <input>:1:1: Syntax error: mismatched input '==' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | == / é a /* null 1   \n | ^\nERROR: <input>:1:4: Syntax error: extraneous input '/' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | == / é a /* null 1   \n | ...^\nERROR: <input>:1:6: Syntax error: token recognition error at: 'é'\n | == / é a /* null 1   \n | .....＾\nERROR: <input>:1:11: Syntax error: extraneous input '*' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | == / é a /* null 1   \n | .....．....^\nERROR: <input>:1:18: Syntax error: mismatched input '1' expecting <EOF>\n | == / é a /* null 1   \n | .....．...........^\nERROR: <input>:3:4: Syntax error: token recognition error at: '='\n |  / =\n | ...^",
  },
  {
    scope: 'params+authorizer',
    text: '"/**..',
    problem:
      "compilation failed: ERROR: <input>:1:1: Syntax error: token recognition error at: '\"/**..'\n | \"/**..\n | ^\nERROR: <input>:1:7: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | \"/**..\n | ......^",
  },
  {
    scope: 'params+authorizer',
    text: '0x ? 1u ( / |   \n /* """ & * ?',
    problem:
      "compilation failed: ERROR: <input>:1:2: Syntax error: mismatched input 'x' expecting <EOF>\n | 0x ? 1u ( / |   \n | .^\nERROR: <input>:1:13: Syntax error: token recognition error at: '| '\n | 0x ? 1u ( / |   \n | ............^\nERROR: <input>:2:7: Syntax error: token recognition error at: '\" & * ?'\n |  /* \"\"\" & * ?\n | ......^",
  },
  {
    scope: 'authorizer',
    text: "(+/😀(true`a`.?0x(('`a`1utrue!==-",
    variables: [
      ['a', '"[a-z]+"'],
      ['b', 'variables.a'],
    ],
    problem:
      "compilation failed: ERROR: <input>:1:2: Syntax error: mismatched input '+' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | (+/😀(true`a`.?0x(('`a`1utrue!==-\n | .^\nERROR: <input>:1:3: Syntax error: extraneous input '/' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | (+/😀(true`a`.?0x(('`a`1utrue!==-\n | ..^\nERROR: <input>:1:4: Syntax error: token recognition error at: '😀'\n | (+/😀(true`a`.?0x(('`a`1utrue!==-\n | ...＾\nERROR: <input>:1:10: Syntax error: mismatched input '`a`' expecting ')'\n | (+/😀(true`a`.?0x(('`a`1utrue!==-\n | ...．.....^\nERROR: <input>:1:15: Syntax error: extraneous input '0' expecting {IDENTIFIER, ESC_IDENTIFIER}\n | (+/😀(true`a`.?0x(('`a`1utrue!==-\n | ...．..........^\nERROR: <input>:1:17: Syntax error: mismatched input '(' expecting ')'\n | (+/😀(true`a`.?0x(('`a`1utrue!==-\n | ...．............^\nERROR: <input>:1:19: Syntax error: token recognition error at: ''`a`1utrue!==-'\n | (+/😀(true`a`.?0x(('`a`1utrue!==-\n | ...．..............^",
  },
  {
    scope: 'params',
    text: '0x "s"]in😀rif1u:-*||%.5a.?x@',
    variables: [
      ['a', '1u'],
      ['b', 'variables.a'],
    ],
    problem:
      'compilation failed: ERROR: <input>:1:2: Syntax error: mismatched input \'x\' expecting <EOF>\n | 0x "s"]in😀rif1u:-*||%.5a.?x@\n | .^\nERROR: <input>:1:10: Syntax error: token recognition error at: \'😀\'\n | 0x "s"]in😀rif1u:-*||%.5a.?x@\n | .........＾\nERROR: <input>:1:28: Syntax error: token recognition error at: \'@\'\n | 0x "s"]in😀rif1u:-*||%.5a.?x@\n | .........．.................^',
  },
  {
    scope: 'patch+params+authorizer',
    text: '\n 1 /* && r',
    variables: [
      ['a', 'b"x"'],
      ['b', 'variables.a'],
    ],
    problem:
      "compilation failed: ERROR: <input>:2:5: Syntax error: mismatched input '*' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n |  1 /* && r\n | ....^\nERROR: <input>:2:7: Syntax error: extraneous input '&&' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n |  1 /* && r\n | ......^",
  },
  {
    scope: 'params',
    text: 'a . x \n " 1',
    problem: 'compilation failed: ERROR: <input>:2:2: Syntax error: token recognition error at: \'" 1\'\n |  " 1\n | .^',
  },
  {
    scope: 'patch+params+authorizer',
    text: '* :',
    problem:
      "compilation failed: ERROR: <input>:1:1: Syntax error: mismatched input '*' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | * :\n | ^\nERROR: <input>:1:3: Syntax error: mismatched input ':' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | * :\n | ..^",
  },
  {
    scope: 'authorizer',
    text: '}a\n a,#br\t\'|.5"""||//+`a`r',
    variables: [
      ['a', 'null'],
      ['b', 'variables.a'],
    ],
    problem:
      "compilation failed: ERROR: <input>:1:1: Syntax error: extraneous input '}' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | }a\n | ^\nERROR: <input>:2:2: Syntax error: mismatched input 'a' expecting <EOF>\n |  a,#br '|.5\"\"\"||//+`a`r\n | .^\nERROR: <input>:2:4: Syntax error: token recognition error at: '#'\n |  a,#br '|.5\"\"\"||//+`a`r\n | ...^\nERROR: <input>:2:8: Syntax error: token recognition error at: ''|.5\"\"\"||//+`a`r'\n |  a,#br '|.5\"\"\"||//+`a`r\n | .......^",
  },
  {
    scope: 'params+authorizer',
    text: '].5*1u`*.?`a`:\\true@%||%😀ifa!+||.?r',
    problem:
      "compilation failed: ERROR: <input>:1:1: Syntax error: extraneous input ']' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | ].5*1u`*.?`a`:\\true@%||%😀ifa!+||.?r\n | ^\nERROR: <input>:1:7: Syntax error: token recognition error at: '`*'\n | ].5*1u`*.?`a`:\\true@%||%😀ifa!+||.?r\n | ......^\nERROR: <input>:1:11: unsupported syntax: '`'\n | ].5*1u`*.?`a`:\\true@%||%😀ifa!+||.?r\n | ..........^\nERROR: <input>:1:14: Syntax error: mismatched input ':' expecting <EOF>\n | ].5*1u`*.?`a`:\\true@%||%😀ifa!+||.?r\n | .............^\nERROR: <input>:1:15: Syntax error: token recognition error at: '\\'\n | ].5*1u`*.?`a`:\\true@%||%😀ifa!+||.?r\n | ..............^\nERROR: <input>:1:20: Syntax error: token recognition error at: '@'\n | ].5*1u`*.?`a`:\\true@%||%😀ifa!+||.?r\n | ...................^\nERROR: <input>:1:25: Syntax error: token recognition error at: '😀'\n | ].5*1u`*.?`a`:\\true@%||%😀ifa!+||.?r\n | ........................＾",
  },
  {
    scope: 'authorizer',
    text: 'é = 😀 1u 😀   ] = r 1 in 0x - / } + .5 😀 `a` true - """   *',
    variables: [
      ['a', '1'],
      ['b', 'variables.a'],
    ],
    problem:
      'compilation failed: ERROR: <input>:1:1: Syntax error: token recognition error at: \'é\'\n | é = 😀 1u 😀   ] = r 1 in 0x - / } + .5 😀 `a` true - """   *\n | ＾\nERROR: <input>:1:3: Syntax error: token recognition error at: \'= \'\n | é = 😀 1u 😀   ] = r 1 in 0x - / } + .5 😀 `a` true - """   *\n | ．.^\nERROR: <input>:1:5: Syntax error: token recognition error at: \'😀\'\n | é = 😀 1u 😀   ] = r 1 in 0x - / } + .5 😀 `a` true - """   *\n | ．...＾\nERROR: <input>:1:10: Syntax error: token recognition error at: \'😀\'\n | é = 😀 1u 😀   ] = r 1 in 0x - / } + .5 😀 `a` true - """   *\n | ．...．....＾\nERROR: <input>:1:14: Syntax error: mismatched input \']\' expecting <EOF>\n | é = 😀 1u 😀   ] = r 1 in 0x - / } + .5 😀 `a` true - """   *\n | ．...．....．...^\nERROR: <input>:1:16: Syntax error: token recognition error at: \'= \'\n | é = 😀 1u 😀   ] = r 1 in 0x - / } + .5 😀 `a` true - """   *\n | ．...．....．.....^\nERROR: <input>:1:39: Syntax error: token recognition error at: \'😀\'\n | é = 😀 1u 😀   ] = r 1 in 0x - / } + .5 😀 `a` true - """   *\n | ．...．....．............................＾\nERROR: <input>:1:54: Syntax error: token recognition error at: \'"   *\'\n | é = 😀 1u 😀   ] = r 1 in 0x - / } + .5 😀 `a` true - """   *\n | ．...．....．............................．..............^',
  },
  {
    scope: 'params',
    text: '. } \\ " * ! .? ( .5 ( ( /* """ , x } * ,',
    variables: [
      ['a', 'quantity("1Gi")'],
      ['b', 'variables.a'],
    ],
    problem:
      "compilation failed: ERROR: <input>:1:3: Syntax error: no viable alternative at input '. }'\n | . } \\ \" * ! .? ( .5 ( ( /* \"\"\" , x } * ,\n | ..^\nERROR: <input>:1:5: Syntax error: token recognition error at: '\\'\n | . } \\ \" * ! .? ( .5 ( ( /* \"\"\" , x } * ,\n | ....^\nERROR: <input>:1:40: Syntax error: mismatched input ',' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | . } \\ \" * ! .? ( .5 ( ( /* \"\"\" , x } * ,\n | .......................................^",
  },
  {
    scope: '',
    text: 'if \t = 1 .5 /* { // & & [ 0x # [ 1 😀 1',
    problem:
      "compilation failed: ERROR: <input>:1:1: reserved identifier: if\n | if   = 1 .5 /* { // & & [ 0x # [ 1 😀 1\n | ^\nERROR: <input>:1:6: Syntax error: token recognition error at: '= '\n | if   = 1 .5 /* { // & & [ 0x # [ 1 😀 1\n | .....^\nERROR: <input>:1:8: Syntax error: mismatched input '1' expecting <EOF>\n | if   = 1 .5 /* { // & & [ 0x # [ 1 😀 1\n | .......^",
  },
  {
    scope: 'authorizer',
    text: ' =+1-:`r==]😀1u@&=r\\%',
    problem:
      "compilation failed: ERROR: <input>:1:2: Syntax error: token recognition error at: '=+'\n |  =+1-:`r==]😀1u@&=r\\%\n | .^\nERROR: <input>:1:6: Syntax error: extraneous input ':' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n |  =+1-:`r==]😀1u@&=r\\%\n | .....^\nERROR: <input>:1:7: Syntax error: token recognition error at: '`r='\n |  =+1-:`r==]😀1u@&=r\\%\n | ......^\nERROR: <input>:1:10: Syntax error: token recognition error at: '=]'\n |  =+1-:`r==]😀1u@&=r\\%\n | .........^\nERROR: <input>:1:12: Syntax error: token recognition error at: '😀'\n |  =+1-:`r==]😀1u@&=r\\%\n | ...........＾\nERROR: <input>:1:15: Syntax error: token recognition error at: '@'\n |  =+1-:`r==]😀1u@&=r\\%\n | ...........．..^\nERROR: <input>:1:16: Syntax error: token recognition error at: '&='\n |  =+1-:`r==]😀1u@&=r\\%\n | ...........．...^\nERROR: <input>:1:18: Syntax error: mismatched input 'r' expecting <EOF>\n |  =+1-:`r==]😀1u@&=r\\%\n | ...........．.....^\nERROR: <input>:1:19: Syntax error: token recognition error at: '\\'\n |  =+1-:`r==]😀1u@&=r\\%\n | ...........．......^",
  },
  {
    scope: 'params',
    text: '\n   1 null 1 ? ? : / x `a` ! \n !',
    problem:
      "compilation failed: ERROR: <input>:2:6: Syntax error: mismatched input 'null' expecting <EOF>\n |    1 null 1 ? ? : / x `a` ! \n | .....^",
  },
  {
    scope: 'params+authorizer',
    text: '}\'if#"%`a`.5x"true&\t.?\t',
    problem:
      "compilation failed: ERROR: <input>:1:1: Syntax error: mismatched input '}' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | }'if#\"%`a`.5x\"true& .? \n | ^\nERROR: <input>:1:2: Syntax error: token recognition error at: ''if#\"%`a`.5x\"true&\t.?\t'\n | }'if#\"%`a`.5x\"true& .? \n | .^",
  },
  {
    scope: 'authorizer',
    text: '&/*//a1e#x',
    problem:
      "compilation failed: ERROR: <input>:1:1: Syntax error: token recognition error at: '&/'\n | &/*//a1e#x\n | ^\nERROR: <input>:1:3: Syntax error: mismatched input '*' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | &/*//a1e#x\n | ..^\nERROR: <input>:1:11: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | &/*//a1e#x\n | ..........^",
  },
  {
    scope: 'authorizer',
    text: 'r.?.5in.5?`a`"s"if,1u+',
    problem:
      "compilation failed: ERROR: <input>:1:4: Syntax error: mismatched input '.5' expecting {IDENTIFIER, ESC_IDENTIFIER}\n | r.?.5in.5?`a`\"s\"if,1u+\n | ...^\nERROR: <input>:1:4: unsupported ident kind\n | r.?.5in.5?`a`\"s\"if,1u+\n | ...^\nERROR: <input>:1:11: Syntax error: extraneous input '`a`' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | r.?.5in.5?`a`\"s\"if,1u+\n | ..........^\nERROR: <input>:1:17: Syntax error: missing ':' at 'if'\n | r.?.5in.5?`a`\"s\"if,1u+\n | ................^\nERROR: <input>:1:17: reserved identifier: if\n | r.?.5in.5?`a`\"s\"if,1u+\n | ................^\nERROR: <input>:1:19: Syntax error: mismatched input ',' expecting <EOF>\n | r.?.5in.5?`a`\"s\"if,1u+\n | ..................^",
  },
  {
    scope: 'params',
    text: 'ifb.5{|1 "s"\'-..😀0x\\{if',
    problem:
      "compilation failed: ERROR: <input>:1:4: Syntax error: mismatched input '.5' expecting <EOF>\n | ifb.5{|1 \"s\"'-..😀0x\\{if\n | ...^\nERROR: <input>:1:7: Syntax error: token recognition error at: '|1'\n | ifb.5{|1 \"s\"'-..😀0x\\{if\n | ......^\nERROR: <input>:1:13: Syntax error: token recognition error at: ''-..😀0x\\{'\n | ifb.5{|1 \"s\"'-..😀0x\\{if\n | ............^",
  },
  {
    scope: '',
    text: 'optional.none()',
    variables: [
      ['a', '{"a": 1}'],
      ['b', 'variables.a'],
    ],
    type: 'optional_type(dyn)',
  },
  {
    scope: 'authorizer',
    text: 'size(int.getSeconds(0x1F))',
    variables: [
      ['a', "'b'"],
      ['b', 'variables.a'],
    ],
    problem:
      "compilation failed: ERROR: <input>:1:20: found no matching overload for 'getSeconds' applied to 'type(int).(int)'\n | size(int.getSeconds(0x1F))\n | ...................^",
  },
  {
    scope: '',
    text: '{}',
    variables: [
      ['a', 'quantity("1Gi")'],
      ['b', 'variables.a'],
    ],
    type: 'map(dyn, dyn)',
  },
  {
    scope: '',
    text: 'int[format.dns1035LabelPrefix()["[a-z]+".first()]]',
    variables: [
      ['a', 'url("https://a/b")'],
      ['b', 'variables.a'],
    ],
    problem:
      "compilation failed: ERROR: <input>:1:4: found no matching overload for '_[_]' applied to '(type(int), !error!)'\n | int[format.dns1035LabelPrefix()[\"[a-z]+\".first()]]\n | ...^\nERROR: <input>:1:32: found no matching overload for '_[_]' applied to '(kubernetes.NamedFormat, !error!)'\n | int[format.dns1035LabelPrefix()[\"[a-z]+\".first()]]\n | ...............................^\nERROR: <input>:1:47: found no matching overload for 'first' applied to 'string.()'\n | int[format.dns1035LabelPrefix()[\"[a-z]+\".first()]]\n | ..............................................^",
  },
  {
    scope: '',
    text: 'params[?{}]',
    problem: "compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')\n | params[?{}]\n | ^",
  },
  {
    scope: 'params+authorizer',
    text: 'has({}.compareTo(Object.spec{optional.none(): 1}).a)',
    variables: [
      ['a', '"[a-z]+"'],
      ['b', 'variables.a'],
    ],
    problem:
      "compilation failed: ERROR: <input>:1:38: Syntax error: missing ':' at '.'\n | has({}.compareTo(Object.spec{optional.none(): 1}).a)\n | .....................................^\nERROR: <input>:1:45: Syntax error: mismatched input ':' expecting {'}', ','}\n | has({}.compareTo(Object.spec{optional.none(): 1}).a)\n | ............................................^",
  },
  { scope: 'params+authorizer', text: '{object.metadata.name: -3}', type: 'map(dyn, int)' },
  {
    scope: 'params+authorizer',
    text: 'has(kubernetes.UserInfo{username: request.name}.name)',
    problem:
      "compilation failed: ERROR: <input>:1:4: undefined field 'name'\n | has(kubernetes.UserInfo{username: request.name}.name)\n | ...^",
  },
  {
    scope: '',
    text: 'dyn(1) ? namespaceObject.metadata : null_type.resource([])',
    variables: [
      ['a', "'é'"],
      ['b', 'variables.a'],
    ],
    problem:
      "compilation failed: ERROR: <input>:1:55: found no matching overload for 'resource' applied to 'type(null).(list(dyn))'\n | dyn(1) ? namespaceObject.metadata : null_type.resource([])\n | ......................................................^",
  },
  {
    scope: 'params',
    text: 'has(null * object.spec.foo)',
    problem: 'compilation failed: ERROR: <input>:1:10: invalid argument to has() macro\n | has(null * object.spec.foo)\n | .........^',
  },
  {
    scope: '',
    text: '-3 * {} != oldObject',
    variables: [
      ['a', 'duration("1h")'],
      ['b', 'variables.a'],
    ],
    problem:
      "compilation failed: ERROR: <input>:1:4: found no matching overload for '_*_' applied to '(int, map(dyn, dyn))'\n | -3 * {} != oldObject\n | ...^",
  },
  { scope: 'params+authorizer', text: 'net.IP', type: 'type(net.IP)' },
  {
    scope: 'patch+params+authorizer',
    text: '(0x1F).getMilliseconds(ip("1.1.1.1").optMap(__result__, y))',
    variables: [
      ['a', 'true'],
      ['b', 'variables.a'],
    ],
    problem:
      "compilation failed: ERROR: <input>:1:23: found no matching overload for 'getMilliseconds' applied to 'int.(optional_type(!error!))'\n | (0x1F).getMilliseconds(ip(\"1.1.1.1\").optMap(__result__, y))\n | ......................^\nERROR: <input>:1:44: found no matching overload for 'hasValue' applied to 'net.IP.()'\n | (0x1F).getMilliseconds(ip(\"1.1.1.1\").optMap(__result__, y))\n | ...........................................^\nERROR: <input>:1:44: found no matching overload for 'value' applied to 'net.IP.()'\n | (0x1F).getMilliseconds(ip(\"1.1.1.1\").optMap(__result__, y))\n | ...........................................^\nERROR: <input>:1:57: undeclared reference to 'y' (in container '')\n | (0x1F).getMilliseconds(ip(\"1.1.1.1\").optMap(__result__, y))\n | ........................................................^",
  },
  {
    scope: 'patch+params+authorizer',
    text: '{map[x]: object.path(int)}',
    variables: [
      ['a', 'false'],
      ['b', 'variables.a'],
    ],
    problem:
      "compilation failed: ERROR: <input>:1:5: found no matching overload for '_[_]' applied to '(type(map(dyn, dyn)), !error!)'\n | {map[x]: object.path(int)}\n | ....^\nERROR: <input>:1:6: undeclared reference to 'x' (in container '')\n | {map[x]: object.path(int)}\n | .....^\nERROR: <input>:1:21: found no matching overload for 'path' applied to 'dyn.(type(int))'\n | {map[x]: object.path(int)}\n | ....................^",
  },
  {
    scope: '',
    text: 'Object.spec{in({}, 1.5, 1u, null) * [].exists_one(x, 2): 1}',
    problem:
      "compilation failed: ERROR: <input>:1:13: Syntax error: mismatched input 'in' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}\n | Object.spec{in({}, 1.5, 1u, null) * [].exists_one(x, 2): 1}\n | ............^\nERROR: <input>:1:18: Syntax error: mismatched input ',' expecting ')'\n | Object.spec{in({}, 1.5, 1u, null) * [].exists_one(x, 2): 1}\n | .................^\nERROR: <input>:1:56: Syntax error: mismatched input ':' expecting <EOF>\n | Object.spec{in({}, 1.5, 1u, null) * [].exists_one(x, 2): 1}\n | .......................................................^",
  },
  {
    scope: '',
    text: '(params.group(variables.b / "1h"))',
    problem:
      "compilation failed: ERROR: <input>:1:2: undeclared reference to 'params' (in container '')\n | (params.group(variables.b / \"1h\"))\n | .^\nERROR: <input>:1:15: undeclared reference to 'variables' (in container '')\n | (params.group(variables.b / \"1h\"))\n | ..............^\nERROR: <input>:1:27: found no matching overload for '_/_' applied to '(dyn, string)'\n | (params.group(variables.b / \"1h\"))\n | ..........................^",
  },
  {
    scope: 'authorizer',
    text: 'kubernetes.UserInfo{username: -3}',
    variables: [
      ['a', '0x1F'],
      ['b', 'variables.a'],
    ],
    problem:
      "compilation failed: ERROR: <input>:1:29: expected type of field 'username' is 'string' but provided type is 'int'\n | kubernetes.UserInfo{username: -3}\n | ............................^",
  },
  { scope: 'params+authorizer', text: 'request.userInfo.extra.exists_one(y, request.options)', type: 'bool' },
  { scope: 'params+authorizer', text: 'cidr("10.0.0.0/8")', type: 'net.CIDR' },
  {
    scope: '',
    text: 'dyn([type ? 1.5 : "[a-z]+", has(-3.kind)])',
    problem:
      "compilation failed: ERROR: <input>:1:11: found no matching overload for '_?_:_' applied to '(type(type), double, string)'\n | dyn([type ? 1.5 : \"[a-z]+\", has(-3.kind)])\n | ..........^\nERROR: <input>:1:32: type 'int' does not support field selection\n | dyn([type ? 1.5 : \"[a-z]+\", has(-3.kind)])\n | ...............................^",
  },
  {
    scope: '',
    text: 'variables.b[?y]',
    variables: [
      ['a', '1 +'],
      ['b', 'variables.a'],
    ],
    problem:
      "compilation failed: ERROR: <input>:1:14: undeclared reference to 'y' (in container '')\n | variables.b[?y]\n | .............^",
  },
  {
    scope: 'authorizer',
    text: '"a" in namespaceObject.metadata.map(1, format.date())',
    variables: [
      ['a', '"1h"'],
      ['b', 'variables.a'],
    ],
    problem:
      'compilation failed: ERROR: <input>:1:37: argument is not an identifier\n | "a" in namespaceObject.metadata.map(1, format.date())\n | ....................................^',
  },
  {
    scope: '',
    text: 'cidr(variables.b) > {2: namespaceObject.metadata.labels}',
    problem:
      "compilation failed: ERROR: <input>:1:6: undeclared reference to 'variables' (in container '')\n | cidr(variables.b) > {2: namespaceObject.metadata.labels}\n | .....^\nERROR: <input>:1:19: found no matching overload for '_>_' applied to '(net.CIDR, map(int, map(string, string)))'\n | cidr(variables.b) > {2: namespaceObject.metadata.labels}\n | ..................^",
  },
  {
    scope: 'params',
    text: '("1h"[?quantity("1Gi")])',
    variables: [
      ['a', '[1]'],
      ['b', 'variables.a'],
    ],
    problem:
      'compilation failed: ERROR: <input>:1:6: found no matching overload for \'_[?_]\' applied to \'(string, kubernetes.Quantity)\'\n | ("1h"[?quantity("1Gi")])\n | .....^',
  },
  {
    scope: 'authorizer',
    text: '-optional.of(1)',
    variables: [
      ['a', 'quantity("1Gi")'],
      ['b', 'variables.a'],
    ],
    problem:
      "compilation failed: ERROR: <input>:1:1: found no matching overload for '-_' applied to '(optional_type(int))'\n | -optional.of(1)\n | ^",
  },
  {
    scope: 'params+authorizer',
    text: 'A.b{}',
    problem: "compilation failed: ERROR: <input>:1:4: undeclared reference to 'A.b' (in container '')\n | A.b{}\n | ...^",
  },
  {
    scope: '',
    text: 'false.filter(x, authorizer.requestResource)',
    variables: [
      ['a', 'cidr("10.0.0.0/8")'],
      ['b', 'variables.a'],
    ],
    problem:
      "compilation failed: ERROR: <input>:1:1: expression of type 'bool' cannot be range of a comprehension (must be list, map, or dynamic)\n | false.filter(x, authorizer.requestResource)\n | ^\nERROR: <input>:1:17: undeclared reference to 'authorizer' (in container '')\n | false.filter(x, authorizer.requestResource)\n | ................^",
  },
  {
    scope: 'authorizer',
    text: '\'é\'.existsOne(x, y, r"\\d").all(x.y, null_type.errored())',
    variables: [
      ['a', '[]'],
      ['b', 'variables.a'],
    ],
    problem:
      'compilation failed: ERROR: <input>:1:33: argument must be a simple name\n | \'é\'.existsOne(x, y, r"\\d").all(x.y, null_type.errored())\n | .．..............................^',
  },
  {
    scope: '',
    text: "{} || x in 'é'.all(__result__, !authorizer.requestResource)",
    variables: [
      ['a', '[1]'],
      ['b', 'variables.a'],
    ],
    problem:
      "compilation failed: ERROR: <input>:1:20: iteration variable overwrites accumulator variable\n | {} || x in 'é'.all(__result__, !authorizer.requestResource)\n | ............．......^",
  },
  {
    scope: 'params+authorizer',
    text: 'has(optional.of(1).kind)',
    variables: [
      ['a', '2'],
      ['b', 'variables.a'],
    ],
    problem: "compilation failed: ERROR: <input>:1:4: type 'int' does not support field selection\n | has(optional.of(1).kind)\n | ...^",
  },
  {
    scope: 'params+authorizer',
    text: 'bool',
    variables: [
      ['a', '"1h"'],
      ['b', 'variables.a'],
    ],
    type: 'type(bool)',
  },
  {
    scope: 'params',
    text: '"1h"',
    variables: [
      ['a', '1 +'],
      ['b', 'variables.a'],
    ],
    type: 'string',
  },
  {
    scope: 'authorizer',
    text: '!{} > lists.range(true).compareTo([])',
    problem:
      "compilation failed: ERROR: <input>:1:1: found no matching overload for '!_' applied to '(map(dyn, dyn))'\n | !{} > lists.range(true).compareTo([])\n | ^\nERROR: <input>:1:18: found no matching overload for 'lists.range' applied to '(bool)'\n | !{} > lists.range(true).compareTo([])\n | .................^\nERROR: <input>:1:34: found no matching overload for 'compareTo' applied to '!error!.(list(dyn))'\n | !{} > lists.range(true).compareTo([])\n | .................................^",
  },
  {
    scope: 'params',
    text: '2.filter(y, 2).sortBy(y, (duration("1h")))',
    variables: [
      ['a', 'cidr("10.0.0.0/8")'],
      ['b', 'variables.a'],
    ],
    problem:
      "compilation failed: ERROR: <input>:1:1: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)\n | 2.filter(y, 2).sortBy(y, (duration(\"1h\")))\n | ^\nERROR: <input>:1:9: found no matching overload for '_?_:_' applied to '(int, list(!error!), list(!error!))'\n | 2.filter(y, 2).sortBy(y, (duration(\"1h\")))\n | ........^",
  },
  {
    scope: 'patch+params+authorizer',
    text: '!namespaceObject.metadata.labels[?quantity("1Gi")]',
    problem:
      "compilation failed: ERROR: <input>:1:33: found no matching overload for '_[?_]' applied to '(map(string, string), kubernetes.Quantity)'\n | !namespaceObject.metadata.labels[?quantity(\"1Gi\")]\n | ................................^",
  },
  {
    scope: 'params',
    text: 'Object{kind: dyn(1)}',
    variables: [
      ['a', 'null'],
      ['b', 'variables.a'],
    ],
    problem:
      "compilation failed: ERROR: <input>:1:7: undeclared reference to 'Object' (in container '')\n | Object{kind: dyn(1)}\n | ......^",
  },
  {
    scope: 'authorizer',
    text: '2',
    variables: [
      ['a', 'dyn(1)'],
      ['b', 'variables.a'],
    ],
    type: 'int',
  },
  {
    scope: 'authorizer',
    text: 'ip("1.1.1.1")[1 - 1.5.kind]',
    problem:
      "compilation failed: ERROR: <input>:1:14: found no matching overload for '_[_]' applied to '(net.IP, int)'\n | ip(\"1.1.1.1\")[1 - 1.5.kind]\n | .............^\nERROR: <input>:1:22: type 'double' does not support field selection\n | ip(\"1.1.1.1\")[1 - 1.5.kind]\n | .....................^",
  },
  {
    scope: 'patch+params+authorizer',
    text: 'has(string > -3 + quantity("1Gi").groups)',
    variables: [
      ['a', '1'],
      ['b', 'variables.a'],
    ],
    problem:
      'compilation failed: ERROR: <input>:1:12: invalid argument to has() macro\n | has(string > -3 + quantity("1Gi").groups)\n | ...........^',
  },
]
