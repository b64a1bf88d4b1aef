import { expect, it } from 'vitest';
import { escapeHtml } from '@mcp-fittings/toolbox/text';

it('leaves no character that ends a text or a quoted attribute', () => {
  expect(escapeHtml(`<img src="x" onerror='alert(1)'> & more`)).toBe(
    '&lt;img src=&quot;x&quot; onerror=&#39;alert(1)&#39;&gt; &amp; more',
  );
});
