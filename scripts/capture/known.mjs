// What may stand in a capture as it is: flags and subcommands of the programs that the rules know.

/** A bare word is a subcommand. None of them carries a value of the user's. */
export const KNOWN_FLAGS = new Set(
  `
  -c -e -h -i -l -m -p -r -s -v -V -- --help --version --verbose --debug
  --print --continue --resume --session-id --fork-session --model --config --cd --add-dir --worktree --tmux
  --permission-mode --dangerously-skip-permissions --allow-dangerously-skip-permissions --yolo --force --full-auto
  --dangerously-bypass-approvals-and-sandbox --dangerously-bypass-hook-trust --ask-for-approval --sandbox --search --oss
  --output-format --input-format --include-partial-messages --replay-user-messages --settings --setting-sources
  --mcp-config --strict-mcp-config --allowed-tools --disallowed-tools --tools --agents --agent --effort --fallback-model
  --system-prompt --append-system-prompt --plugin-dir --bare --background --bg --bg-pty-host --bg-spare --daemon-worker
  --claude-in-chrome-mcp --chrome-native-host --computer-use-mcp --chrome --no-chrome --ide --json --last --all
  --no-alt-screen --profile --enable --disable --image --remote --remote-control --skip-git-repo-check --output-schema
  --output-last-message --workspace --trust --approve-mcps --stream-partial-output --conversation --new-project
  --project --prompt --prompt-interactive --print-timeout --log-file --log-level --completions --title --check --eval
  --require --import --conditions --preload --loader --experimental-loader --inspect --max-old-space-size
  exec resume fork login logout mcp mcp-server app-server proto apply cloud review sandbox completion features
  daemon update doctor install config plugin agent agents auth status server serve run attach logs
  text json stream-json plan default acceptEdits bypassPermissions dontAsk auto
  `
    .trim()
    .split(/\s+/),
);

/** Names of users and hosts that name nobody, and would tear paths apart if they were replaced. */
export const PLAIN_WORDS = new Set([
  ...['root', 'user', 'other', 'host', 'localhost', 'home', 'usr', 'bin', 'lib', 'dev', 'proc', 'tmp', 'var'],
  ...['etc', 'opt', 'run', 'sys', 'pipe', 'socket', 'node', 'claude', 'codex', 'cursor', 'agy', 'nobody'],
]);
