export interface FormatSamples {
  readonly right: readonly string[]
  readonly wrong: readonly string[]
}

/** Texts that have a format or not, by the format's name. kube-apiserver decides which is which; the division only balances random objects. */
export const formatSamples: Readonly<Record<string, FormatSamples>> = {
  bsonobjectid: { right: ['507f1f77bcf86cd799439011'], wrong: ['', '507f1f77bcf86cd79943901', '507f1f77bcf86cd79943901g'] },
  uri: {
    right: ['http://a.b/c?d=e', '/a', 'mailto:a@b'],
    wrong: ['', 'a', ':a', 'http://a:b/', 'http://[::1', 'http://a b', '*', '/a#b', '%'],
  },
  email: {
    right: ['a@b', 'A <a@b.c>', '"a b"@c.d', 'a@[127.0.0.1]', 'a@b (c)', 'x.y@b', 'A B <a@b>', 'g: a@b;', 'é@b', '=?utf-8?q?x?= <a@b>'],
    wrong: [
      '',
      'a',
      'a@',
      '@b',
      'a..b@c',
      'a.@c',
      'a@b, c@d',
      'g: a@b, c@d;',
      'g:;',
      '<a@b',
      'a@[x]',
      'a b',
      '""@b',
      'a@b (',
      'a@b)',
      '"a" b@c',
    ],
  },
  hostname: {
    right: ['a', 'a.bc', '1.2.com', 'a-b.de', 'é.fr', 'x'.repeat(63)],
    wrong: ['', '-a', 'a-', 'a..b', 'a.b', 'a_b.de', 'x'.repeat(64), 'a b'],
  },
  ipv4: {
    right: ['1.2.3.4', '01.2.3.004', '::ffff:1.2.3.4'],
    wrong: ['', '1.2.3', '1.2.3.256', '1.2.3.4.5', '::1', '1.2.3.4%a', '1..2.3', ' 1.2.3.4'],
  },
  ipv6: {
    right: ['::1', '1:2:3:4:5:6:7:8', '::ffff:1.2.3.4', 'FE80::1'],
    wrong: ['', '1.2.3.4', '1::2::3', ':::', 'fe80::1%eth0', '12345::', '::ffff:01.2.3.4', '1:'],
  },
  cidr: {
    right: ['10.0.0.0/8', '10.0.0.1/08', '010.0.0.0/8', '::/0', '1::2/128', '0001::/64'],
    wrong: ['', '10.0.0.0', '10.0.0.0/33', '::/129', '10.0/8', 'a/8', '10.0.0.0/', '10.0.0.0/-1', '00001::/8'],
  },
  mac: {
    right: ['01:23:45:67:89:ab', '01-23-45-67-89-AB', '0123.4567.89ab', '02:00:5e:10:00:00:00:01', '0200.5e10.0000.0001', '0123456789ab'],
    wrong: ['', '01:23:45:67:89', '01:23:45:67:89-ab', '0123.4567', '01:23:45:67:89:ag', '01:23:45:67:89:ab:cd'],
  },
  uuid: {
    right: ['123e4567-e89b-12d3-a456-426614174000', '123E4567E89B12D3A456426614174000'],
    wrong: ['', '123e4567-e89b-12d3-a456-42661417400', 'x'],
  },
  uuid3: { right: ['123e4567-e89b-32d3-a456-426614174000'], wrong: ['123e4567-e89b-12d3-a456-426614174000'] },
  uuid4: { right: ['123e4567-e89b-42d3-a456-426614174000'], wrong: ['123e4567-e89b-42d3-c456-426614174000'] },
  uuid5: { right: ['123e4567-e89b-52d3-b456-426614174000'], wrong: ['123e4567-e89b-42d3-a456-426614174000'] },
  isbn: { right: ['3836221195', '9784873113685', '1-61729-085-8'], wrong: ['', '3836221194', '978'] },
  isbn10: { right: ['3 401 01319 X', '3836221195'], wrong: ['', '3423214121', '9784873113685'] },
  isbn13: { right: ['978-4-87311-368-5'], wrong: ['', '9784873113686', '3836221195'] },
  creditcard: {
    right: ['4220855426222389', '5139-2888 02098206', '3548209662790989'],
    wrong: ['', '4220855426213389', '30190239451016', 'x'],
  },
  ssn: { right: ['191-60-2869', '191 60 2869'], wrong: ['', '191602869', '00-90-8787'] },
  hexcolor: { right: ['#fff', 'CCccCC'], wrong: ['', '#ff', '#ff12FG'] },
  rgbcolor: { right: ['rgb(0,31,255)', 'rgb( 0, 31 ,255 )'], wrong: ['', 'rgb(1,349,275)', 'rgb(01,31,255)', 'rgba(0,31,255)'] },
  byte: { right: ['YQ==', 'YWI=', 'YWJj'], wrong: ['', 'YQ', 'YQ=', '@@@@', 'YWJj\n'] },
  password: { right: ['', 'x'], wrong: ['y'] },
  date: { right: ['2020-02-29', '0000-01-01'], wrong: ['', '2021-02-29', '2020-1-01', '2020-13-01', '20200101', '2020-01-00'] },
  duration: {
    right: ['1h', '1.5s', '0', '-1m', '3 days', '2 weeks', '1ms2us', '5 MIN', '1 Sec', '10 s x'],
    wrong: ['', 'x', '1', '1 x', 's', '99999999999999999999 days'],
  },
  datetime: {
    right: ['2014-12-15T19:30:20.000Z', '2014-12-15t19:30:20z'],
    wrong: ['', '2014-12-15', '2014-12-15T24:00:00Z', '2014-12-15T19:30:20', '2014-12-15T19:30:20Z+'],
  },
  'date-time': {
    right: ['2014-12-15T19:30:20+01:00', '2014-12-15T19:30:20,5Z'],
    wrong: ['x', '2014-12-15T19:60:20Z', '2014-13-15T19:30:20Z', '2014-12-15 19:30:20Z'],
  },
  'k8s-short-name': { right: ['a', 'a-b'], wrong: ['', 'A', '-a', 'a-', 'a.b', 'x'.repeat(64)] },
  'k8s-long-name': { right: ['a.b', 'a-b.c', 'x'.repeat(64)], wrong: ['', 'a..b', 'A.b', 'x'.repeat(254)] },
  int32: { right: ['x'], wrong: ['y'] },
  unknown: { right: ['x'], wrong: ['y'] },
}
