import { describe, expect, it } from 'vitest';
import { accountHomes, ownHome } from '../../../lib/agents/scripts.js';
import { FakeFiles } from './fakes.js';

describe('a user without an account', () => {
  it('has no home, and that is no error', () => {
    const none = () => {
      throw new Error('A system error occurred: uv_os_homedir returned ENOENT');
    };
    expect(ownHome(none)).toBeNull();
    expect(ownHome(() => '')).toBeNull();
    expect(ownHome(() => '/home/user')).toBe('/home/user');
  });

  it('stands in no list of accounts', async () => {
    const homes = await accountHomes(new FakeFiles({ '/etc/passwd': 'a:x:7:7::/home/a:/bin/sh\n' }).look);
    expect(homes.get(7)).toBe('/home/a');
    expect(homes.get(54_321)).toBeUndefined();
  });
});
