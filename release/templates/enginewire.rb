class Enginewire < Formula
  desc "Decode, explain and change binary values that game engines write"
  homepage "https://github.com/@REPOSITORY@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/enginewire-@VERSION@-aarch64-apple-darwin.tar.gz"
      sha256 "@aarch64-apple-darwin.tar.gz@"
    end
    on_intel do
      url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/enginewire-@VERSION@-x86_64-apple-darwin.tar.gz"
      sha256 "@x86_64-apple-darwin.tar.gz@"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/enginewire-@VERSION@-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@aarch64-unknown-linux-musl.tar.gz@"
    end
    on_intel do
      url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/enginewire-@VERSION@-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@x86_64-unknown-linux-musl.tar.gz@"
    end
  end

  def install
    bin.install "enginewire"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/enginewire.bash" => "enginewire"
    zsh_completion.install "completions/enginewire.zsh" => "_enginewire"
    fish_completion.install "completions/enginewire.fish"
  end

  test do
    assert_equal "enginewire #{version}", shell_output("#{bin}/enginewire --version").strip
  end
end
